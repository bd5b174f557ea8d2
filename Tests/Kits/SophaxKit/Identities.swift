public import Encodings
public import SophaxChat

/// The identity of the vectors.
public func alice() throws -> SophaxIdentity {
    let identity = try SophaxIdentity(
        signing: secure(hex("1f121f835765d4e14fc24d323e78f53a6c225320d15ac102dec4f6bfc3ad4c27")),
        agreement: secure(hex("1f7b72b5b706bd65ff05ae682b3eba420c085a833c26f0bb117e437e117b52a9")))
    return identity!
}

/// Another one.
public func bob() throws -> SophaxIdentity {
    let identity = try SophaxIdentity(
        signing: secure([UInt8](repeating: 7, count: 32)),
        agreement: secure(hex("32d84544ec06cfbec20f7f156e2713b0df776945d3235fe72cf6ac52c1bbfd6d")))
    return identity!
}

/// 2026-01-01T00:00:00.250Z.
public let now = Timestamp(milliseconds: 1_767_225_600_250)
