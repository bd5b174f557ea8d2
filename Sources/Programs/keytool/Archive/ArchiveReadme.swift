import CommandLine

/// The text in an archive that says how to read it without keytool.
enum ArchiveReadme {
    static func text(of messengers: Messengers) -> String {
        """
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
        If people share its key, their pages say how to make KEYFILE of the words.

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

        \(messengers.all.map { $0.readme }.joined(separator: "\n\n"))

        man keytool-formats describes all of them.

        TO CONTINUE BY HAND
        Pack the directory again, with these names, and keytool reads it:
          tar -c -C unpacked . | age -p -o NEW.age

        Backups on Safe servers and their histories are not in the archive.

        """
    }
}
