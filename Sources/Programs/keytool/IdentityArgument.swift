import ArgumentParser
import Threema

/// The identity that a command is about.
struct IdentityArgument: ParsableArguments {
    @Argument(help: "The identity. Optional if the keystore holds only one.")
    var id: ThreemaID?
}
