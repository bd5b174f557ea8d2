/// The text in an archive that says how to read it without keytool.
enum ArchiveReadme {
    static let bytes = Array(text.utf8)

    static let text = """
        This is an archive of the identities in a keytool keystore. It contains PRIVATE
        KEYS, unencrypted. Unpack it only where nobody else can read it, and delete the
        files afterwards.

        WITH KEYTOOL
          keytool archive import ARCHIVE.age     adds the identities to a keystore
          keytool archive check ARCHIVE.age      compares it with a keystore

        WITH AGE AND TAR
          umask 077
          mkdir unpacked
          age -d ARCHIVE.age | tar -x -C unpacked
        age asks for the archive passphrase. An archive that was encrypted for age
        recipients opens with: age -d -i KEYFILE ARCHIVE.age

        THE FILES
          keytool-archive                 the version of this layout: 1
          MESSENGER/ID/RECORD             a record of one identity
          MESSENGER/ID/places/PLACE/...   a record of one of its places
          MESSENGER/ID/sessions.values    sessions that programs have stored, only if
                                          keytool archive export --with-sessions
                                          wrote the archive: "KTV1", then for each
                                          value its kind, name and content, with their
                                          lengths (1, 1 and 4 bytes) before them. A
                                          session that is used again uses keys twice.

        A THREEMA IDENTITY, threema/ID
          identity        40 bytes: the ID (8 characters), then the private key, which
                          is an X25519 key (32 bytes). To print the private key in
                          hexadecimal:
                            tail -c 32 threema/ID/identity | od -An -v -tx1
          profile.json    the document of its Safe backup without keys: nickname,
                          contacts, groups, settings
          devicegroupkey  32 bytes: the device group key of that document, if it has one
          directory       JSON: the directory server that the identity uses
          places/PLACE/safe
                          the setup of a Safe place. Byte 1 is the version; a Protocol
                          Buffers message follows: field 1 is the place, in it field 1
                          the 64-byte Safe key, field 2 the address of the server,
                          fields 3 and 4 the login there.
                            tail -c +2 safe | protoc --decode_raw

        A TELEGRAM ACCOUNT, telegram/ID
          account         JSON: for each data centre ("dc") the authorization key, 256
                          bytes in Base64

        A TEXTSECURE ACCOUNT, textsecure/NUMBER
          account         JSON: the identity key, the signaling key and the prekeys,
                          each key in Base64; the password at the server

        A MAINKEY OF PROTON'S APPS, mainkey/ID
          protections     Byte 1 is the version. Behind it stand one or more parts: the
                          kind (1 byte), the length (4 bytes) and the content. Kind 0 is
                          the key itself, 32 bytes; kind 1 an age file that opens with
                          the PIN; kind 2 an age file for the recipients in kind 3. If
                          there is one part only, that of kind 1 opens with:
                            tail -c +7 mainkey/ID/protections | age -d
          autolock        after how many minutes it is locked

        A SOPHAXCHAT IDENTITY, sophaxchat/ID
          identity        JSON: the private keys "signing" (Ed25519 seed) and "dh"
                          (X25519), 32 bytes each in Base64; the user's name
          prekeys         binary: the private prekeys
          pin             the salted hashes of the PINs

        man keytool-formats describes all of them.

        TO CONTINUE BY HAND
        Pack the directory again, with these names, and keytool reads it:
          tar -c -C unpacked . | age -p -o NEW.age

        Backups on Safe servers and their histories are not in the archive.

        """
}
