import Encodings
import SecureMemory
import StoreKit
import Testing

@testable import SafeObjectStore

/// A request and its signature by another implementation.
struct SignedExample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let signature: S3Signature
    let accessKey: String
    let secretKey: String
    let expected: String

    /// Amazon's examples (Amazon S3 API Reference, "Examples: Signature Calculations").
    static let published = [
        SignedExample(
            testDescription: "GET object",
            signature: S3Signature(
                "GET", "/test.txt", headers: ["host": "examplebucket.s3.amazonaws.com", "range": "bytes=0-9"],
                body: [], at: day2013, region: "us-east-1"),
            accessKey: exampleKey, secretKey: exampleSecret,
            expected: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        SignedExample(
            testDescription: "PUT object",
            signature: S3Signature(
                "PUT", "/test%24file.text",
                headers: [
                    "host": "examplebucket.s3.amazonaws.com", "date": "Fri, 24 May 2013 00:00:00 GMT",
                    "x-amz-storage-class": "REDUCED_REDUNDANCY",
                ],
                body: Array("Welcome to Amazon S3.".utf8), at: day2013, region: "us-east-1"),
            accessKey: exampleKey, secretKey: exampleSecret,
            expected: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        SignedExample(
            testDescription: "GET bucket lifecycle",
            signature: S3Signature(
                "GET", "/", query: S3Query(["lifecycle": ""]), headers: ["host": "examplebucket.s3.amazonaws.com"],
                body: [], at: day2013, region: "us-east-1"),
            accessKey: exampleKey, secretKey: exampleSecret,
            expected: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        SignedExample(
            testDescription: "GET bucket (list objects)",
            signature: S3Signature(
                "GET", "/", query: S3Query(["prefix": "J", "max-keys": "2"]),
                headers: ["host": "examplebucket.s3.amazonaws.com"], body: [], at: day2013, region: "us-east-1"),
            accessKey: exampleKey, secretKey: exampleSecret,
            expected: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    /// By botocore 1.43.11 (`botocore.auth.S3SigV4Auth`).
    static let ofBotocore = [
        SignedExample(
            testDescription: "a backup with a term",
            signature: S3Signature(
                "PUT", "/safe-ab/" + id(0xab).hex, headers: ["host": "localhost:8080", "x-delete-after": "18144000"],
                body: [0, 1, 255], at: noon, region: "us-east-1"),
            accessKey: "safe:admin", secretKey: "testkey",
            expected: "edce6cee2883cb31fb645fad0f160bc8be5f490094867e06d98e82d429a30ff9"),
        SignedExample(
            testDescription: "a path with other characters, another region, a key longer than a block",
            signature: S3Signature(
                "GET", "/safe-ab/anna%20m%C3%BCller%2B%40home/" + id(0xab).hex,
                headers: ["host": "s3.example", "x-newest": "true"], body: [], at: noon, region: "eu-central-1"),
            accessKey: "AK", secretKey: String(repeating: "s", count: 100),
            expected: "bf4afafbb909bcf2f71b0621a76b08acf22900aff6cd9d14983f077c4c1f8234"),
        SignedExample(
            testDescription: "a bucket",
            signature: S3Signature(
                "PUT", "/safe-00", headers: ["host": "s3.example"], body: [], at: noon, region: "us-east-1"),
            accessKey: "AK", secretKey: "sk",
            expected: "49970e44d5ffe31b0353344b7fca732dae6fe531d56ca7eb9fe27b75811997b4"),
        SignedExample(
            testDescription: "a page of a list",
            signature: S3Signature(
                "GET", "/safe-ab",
                query: S3Query([
                    "list-type": "2", "max-keys": "1000", "prefix": "anna-2/", "start-after": "anna-2/" + id(0xab).hex,
                ]),
                headers: ["host": "s3.example:8080"], body: [], at: noon, region: "us-east-1"),
            accessKey: "AK", secretKey: "sk",
            expected: "0ac8b1e8f81230779f699cac7936835c5b8703e5e37ff281b825314a54cc3915"),
        SignedExample(
            testDescription: "a query with other characters, an empty value, and a name that begins another one",
            signature: S3Signature(
                "GET", "/safe-ab", query: S3Query(["prefix": "mü ll+=&~%/", "prefix-2": "1", "Prefix": ""]),
                headers: ["host": "s3.example:8080"], body: [], at: noon, region: "us-east-1"),
            accessKey: "AK", secretKey: "sk",
            expected: "eeffecc9d8e72e746bd96f4bea477abebceadb6603c1677f2e647a5ff4d893ea"),
    ]

    private static let exampleKey = "AKIAIOSFODNN7EXAMPLE"
    private static let exampleSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    private static let day2013 = Timestamp(milliseconds: 1_369_353_600_000)
    /// With milliseconds, which the signature leaves out.
    private static let noon = day(0) + .milliseconds(7999)
}

@Suite struct S3SignatureTests {
    @Test(arguments: SignedExample.published + SignedExample.ofBotocore)
    func `the signature is that of other implementations`(_ example: SignedExample) {
        let secret = Array(example.secretKey.utf8)
        let signature = example.signature
        let key = S3Signature.signingKey(
            secretKey: SecureBytes(copying: secret.span), day: signature.day, region: signature.region)
        let value = signature.authorization(accessKey: example.accessKey, key: key)
        #expect(value.hasSuffix(", Signature=" + example.expected))
        let scope = "\(example.accessKey)/\(signature.day)/\(signature.region)/s3/aws4_request"
        #expect(value.hasPrefix("AWS4-HMAC-SHA256 Credential=\(scope), SignedHeaders="))
    }

    @Test func `the canonical request has each header once, in order`() {
        let expected = """
            PUT
            /safe-ab/\(id(0xab).hex)

            host:localhost:8080
            x-amz-content-sha256:26a66b061e8f48f39927c312f25293959729eee95978e2892d49d3512a5cc092
            x-amz-date:20261121T120007Z
            x-delete-after:18144000

            host;x-amz-content-sha256;x-amz-date;x-delete-after
            26a66b061e8f48f39927c312f25293959729eee95978e2892d49d3512a5cc092
            """
        #expect(SignedExample.ofBotocore[0].signature.canonicalRequest == expected)
    }

    @Test func `a query is encoded and sorted by its encoded names`() {
        #expect(S3Query.none.text == "")
        #expect(S3Query(["a": "", "B": "/\n", "a-": "é~_.-"]).text == "B=%2F%0A&a=&a-=%C3%A9~_.-")
    }

    @Test func `a signer derives a new key on another day`() {
        let secret = Array("sk".utf8)
        let credentials = S3Credentials(accessKey: "AK", secretKey: SecureBytes(copying: secret.span))
        let signer = S3Signer(credentials, region: "us-east-1")
        for number in [0, 0, 1, 0] {
            let signature = S3Signature(
                "GET", "/b", headers: ["host": "h"], body: [], at: day(number), region: "us-east-1")
            let key = S3Signature.signingKey(
                secretKey: SecureBytes(copying: secret.span), day: signature.day, region: "us-east-1")
            #expect(signer.authorization(of: signature) == signature.authorization(accessKey: "AK", key: key))
        }
    }
}
