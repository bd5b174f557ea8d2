/// The targets of a build with the server's listener. They speak before a login.
let targets: [FuzzTarget] = [
    FuzzTarget("listener-http1", limit: 4096, []) { Listening.http1($0) },
    FuzzTarget("listener-http2", limit: 2048, []) { Listening.http2($0) },
    FuzzTarget("listener-forwarded", limit: 512, []) { Forwarded.client($0) },
]
