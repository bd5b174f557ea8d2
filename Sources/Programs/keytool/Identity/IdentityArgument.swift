import ArgumentParser
import Threema

/// The identity that a command is about.
struct IdentityArgument: ParsableArguments {
    @Argument(help: "The identity. Optional if the keystore holds only one.")
    var id: ThreemaID?
}

/// The same for a command with other operands.
struct IdentityOption: ParsableArguments {
    @Option(help: ArgumentHelp("The identity. Optional if the keystore holds only one.", valueName: "id"))
    var identity: ThreemaID?
}
