/// How each verb is typed, for its help. Tests compare the lines with the verbs and their options.
enum Examples {
    static var lines: [String] { text.split(separator: "\n").map(String.init) }

    private static let text = """
        keytool id create --directory https://directory.example.net/
        keytool id list
        keytool id show ABCD1234
        keytool id remove ABCD1234
        keytool id fetch ECHOECHO
        keytool id link email alice@example.net
        keytool id revoke ABCD1234
        keytool backup export --sheet page.pdf
        keytool backup import threema-backup.zip
        keytool backup check
        keytool backup split --shares 3/5 --sheet shares
        keytool backup join
        keytool backup kit -o kit.pdf
        keytool safe setup --create --server file:///mnt/nas/keytool
        keytool safe push --all --quiet --no-input --jitter 30m --tolerate 3d
        keytool safe pull --id ABCD1234 --server file:///mnt/nas/keytool
        keytool safe status --max-age 8d
        keytool safe check --with-password
        keytool safe passwd
        keytool safe mirror --all
        keytool safe history --diff 1 2
        keytool safe schedule
        keytool safe move --create --server file:///mnt/usb/keytool
        keytool safe server --server https://safe.example.net/alice
        keytool safe card card.pdf
        keytool safe delete ABCD1234
        keytool profile show
        keytool profile set --nickname Alice
        keytool profile export -o profile.json
        keytool profile import profile.json
        keytool profile diff
        keytool contact list --format csv
        keytool contact add ECHOECHO
        keytool contact verify --qr-image photo.jpg
        keytool contact check --all
        keytool contact remove ECHOECHO
        keytool contact match numbers.txt --dry-run
        keytool key status
        keytool key protect
        keytool key passwd
        keytool key unprotect
        keytool key import master_key.dat
        keytool key unlock --for 15m
        keytool key lock
        keytool revoke hash
        keytool revoke set ABCD1234
        keytool revoke check ABCD1234
        keytool onprem import https://onprem.example.net --key BASE64
        keytool onprem show
        keytool onprem forget onprem.example.net
        keytool qr show < code.txt
        keytool qr contact --qr-file contact.svg
        keytool telegram import tdata
        keytool telegram list
        keytool telegram show 0123456789abcdef
        keytool telegram protect account.json
        keytool telegram passwd account.age
        keytool telegram unprotect account.age -o account.json
        keytool telegram verify account.age
        keytool telegram export 0123456789abcdef -o account.age
        keytool telegram mark-lost 0123456789abcdef
        keytool textsecure init --number +41790000000
        keytool textsecure list
        keytool textsecure show +41790000000
        keytool textsecure fingerprint
        keytool textsecure prekeys
        keytool textsecure refill-prekeys
        keytool textsecure export -o account.age
        keytool textsecure import account.age
        keytool textsecure verify account.age
        keytool textsecure import-client preferences.xml -o account.age
        keytool mainkey init
        keytool mainkey status
        keytool mainkey protect pin
        keytool mainkey remove pin
        keytool mainkey passwd
        keytool mainkey unlock --for 15m
        keytool mainkey lock
        keytool mainkey timeout 15
        keytool mainkey import mainkey.age
        keytool mainkey export -o mainkey.age
        keytool mainkey open-value value.bin
        keytool mainkey seal-value note.txt -o value.bin
        keytool mainkey rewrap-value value.bin -o value.new
        keytool mainkey verify mainkey.age
        keytool mainkey wipe
        keytool sophaxchat init
        keytool sophaxchat import identity.age
        keytool sophaxchat export -o identity.age
        keytool sophaxchat list
        keytool sophaxchat show
        keytool sophaxchat verify identity.age
        keytool sophaxchat split -m 2 -n 3 -o share
        keytool sophaxchat join share.1.json share.3.json
        keytool sophaxchat show-prekeys
        keytool sophaxchat refill-prekeys
        keytool sophaxchat rotate-prekeys --if-due
        keytool sophaxchat export-bundle -o bundle.json
        keytool sophaxchat safety bob.json
        keytool sophaxchat verify-peer bob.json --number 123456789012
        keytool sophaxchat open-backup backup.bin
        keytool archive export -o keys.age
        keytool archive import keys.age
        keytool archive check keys.age
        keytool archive list keys.age
        keytool doctor
        """
}
