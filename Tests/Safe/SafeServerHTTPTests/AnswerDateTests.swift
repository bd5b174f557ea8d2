import Testing

@testable import SafeServerHTTP

@Suite struct AnswerDateTests {
    @Test func `each second has its text, also after another one`() {
        let date = AnswerDate()
        let texts = [784_111_777, 784_111_777, 784_111_778, 784_111_777].map { date.text($0) }
        #expect(
            texts == [
                "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT",
                "Sun, 06 Nov 1994 08:49:37 GMT",
            ])
    }
}
