// Nothing: this target is there for what Package.swift has the linker do.
