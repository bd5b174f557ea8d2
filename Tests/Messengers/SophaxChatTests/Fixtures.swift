import Primitives

func publicKey(_ key: [UInt8]) -> [UInt8] { X25519.publicKey(of: key.span) }
