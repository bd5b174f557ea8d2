import HTTP
import Testing

@Suite struct TimeoutTests {
    @Test func `a silent server has the whole time only if somebody asks for more than usual`() {
        #expect(HTTPTimeouts().idle == .seconds(30))
        #expect(HTTPTimeouts(total: .seconds(10)).idle == .seconds(30))
        #expect(HTTPTimeouts(total: .seconds(120)).idle == .seconds(30))
        #expect(HTTPTimeouts(total: .seconds(600)).idle == .seconds(600))
        #expect(HTTPTimeouts(idle: .seconds(2), total: .seconds(600)).idle == .seconds(2))
    }
}
