#if Server
internal import CLinux
internal import NIOCore

/// The processors on which this process may run.
enum Processors {
    /// Their number, at least 1: those of the machine or its container (cgroup), less those from which the process is
    /// kept (`taskset`, `CPUAffinity=`).
    static var count: Int {
        let allowed = Int(keytool_processors())
        return allowed > 0 ? min(System.coreCount, allowed) : System.coreCount
    }
}
#endif
