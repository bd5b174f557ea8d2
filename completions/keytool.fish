function __keytool_may_be
    set -l words (commandline -poc)
    for name in (string split ' ' -- $argv[1])[2..]
        contains -- $name $words; or return 1
    end
    true
end

function __keytool_should_offer_completions_for_flags_or_options -a expected_commands
    __keytool_may_be "$expected_commands"; or return 1
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __keytool_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __keytool_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    __keytool_may_be "$expected_commands"; or return 1
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __keytool_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __keytool_parse_tokens -S
    set -l unparsed_tokens (__keytool_tokens -pc)
    switch $unparsed_tokens[1]
    case 'keytool'
        __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'id'
            __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'create'
                __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'id=' 'entropy=' 'resume' 'pending=' 'directory=' 'directory-ca-file=' 'directory-pin=+' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'no-passphrase' 'weak-ok' 'version' 'h/help'
            case 'list'
                __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'version' 'h/help'
            case 'show'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'version' 'h/help'
            case 'remove'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'yes' 'pending=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'version' 'h/help'
            case 'fetch'
                __keytool_parse_subcommand -r 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'directory=' 'directory-ca-file=' 'directory-pin=+' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'version' 'h/help'
            end
        case 'backup'
            __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'export'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'scheme=' 'o/output=' 'qr-file=' 'sheet=' 'force' 'qr' 'mode=' 'qr-wait' 'weak-ok' 'backup-password-file=' 'backup-password-command=' 'backup-password-fd=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'version' 'h/help'
            case 'import'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'qr-image=' 'expect-id=' 'expect-public-key=' 'expect-check=' 'backup-password-file=' 'backup-password-command=' 'backup-password-fd=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'no-passphrase' 'weak-ok' 'replace' 'version' 'h/help'
            case 'check'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'qr-image=' 'expect-id=' 'expect-public-key=' 'expect-check=' 'backup-password-file=' 'backup-password-command=' 'backup-password-fd=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'version' 'h/help'
            end
        case 'safe'
            __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'setup'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'server=' 'server-file=' 'server-user=' 'ca-file=' 'pin=+' 'server-password-file=' 'server-password-command=' 'server-password-fd=' 'create' 'no-test' 'weak-ok' 'safe-password-file=' 'safe-password-command=' 'safe-password-fd=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'timeout=' 'retry-max-time=' 'version' 'h/help'
            case 'push'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'force' 'overwrite' 'accept-loss' 'resume-deleted' 'no-verify' 'dry-run' 'all' 'jitter=' 'tolerate=' 'lock-wait=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'timeout=' 'retry-max-time=' 'metrics-file=' 'alias=' 'ping-url-file=' 'version' 'h/help'
            case 'pull'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'id=' 'server=' 'server-file=' 'server-user=' 'ca-file=' 'pin=+' 'server-password-file=' 'server-password-command=' 'server-password-fd=' 'replace' 'replace-key=' 'no-setup' 'o/output=' 'force' 'reveal-private-key' 'raw' 'show' 'safe-password-file=' 'safe-password-command=' 'safe-password-fd=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'no-passphrase' 'weak-ok' 'timeout=' 'retry-max-time=' 'version' 'h/help'
            case 'status'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'max-age=' 'remote' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'timeout=' 'retry-max-time=' 'version' 'h/help'
            case 'check'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'with-password' 'safe-password-file=' 'safe-password-command=' 'safe-password-fd=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'timeout=' 'retry-max-time=' 'version' 'h/help'
            case 'passwd'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'overwrite' 'accept-loss' 'abort' 'weak-ok' 'new-safe-password-file=' 'new-safe-password-command=' 'new-safe-password-fd=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'timeout=' 'retry-max-time=' 'version' 'h/help'
            case 'move'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'server=' 'server-file=' 'server-user=' 'ca-file=' 'pin=+' 'server-password-file=' 'server-password-command=' 'server-password-fd=' 'create' 'leave-old' 'overwrite' 'accept-loss' 'abort' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'timeout=' 'retry-max-time=' 'version' 'h/help'
            case 'server'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'server=' 'server-file=' 'server-user=' 'ca-file=' 'pin=+' 'server-password-file=' 'server-password-command=' 'server-password-fd=' 'no-login' 'no-ca' 'no-pins' 'forget-old' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'timeout=' 'retry-max-time=' 'version' 'h/help'
            case 'delete'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'keep-setup' 'force' 'yes' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'timeout=' 'retry-max-time=' 'version' 'h/help'
            end
        case 'key'
            __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'status'
                __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'version' 'h/help'
            case 'protect'
                __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'scheme=' 'weak-ok' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'version' 'h/help'
            case 'passwd'
                __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'scheme=' 'weak-ok' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'new-passphrase-file=' 'new-passphrase-command=' 'new-passphrase-fd=' 'version' 'h/help'
            case 'unprotect'
                __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'yes' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'version' 'h/help'
            case 'import'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'check' 'replace' 'file-passphrase-file=' 'file-passphrase-command=' 'file-passphrase-fd=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'no-passphrase' 'weak-ok' 'version' 'h/help'
            case 'unlock'
                __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'for=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'version' 'h/help'
            case 'lock'
                __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'version' 'h/help'
            end
        case 'revoke'
            __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'hash'
                __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'format=' 'revocation-password-file=' 'revocation-password-command=' 'revocation-password-fd=' 'version' 'h/help'
            end
        case 'qr'
            __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'show'
                __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'mode=' 'qr-file=' 'force' 'qr-wait' 'version' 'h/help'
            case 'contact'
                __keytool_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'mode=' 'qr-file=' 'force' 'qr-wait' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'version' 'h/help'
            end
        case 'doctor'
            __keytool_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'keystore=' 'no-input' 'color=' 'passphrase-file=' 'passphrase-command=' 'passphrase-fd=' 'version' 'h/help'
        case 'help'
            __keytool_parse_subcommand -r 1 'version'
        end
    end
end

function __keytool_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __keytool_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __keytool_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __keytool_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__keytool_tokens -p)
    if test -z "$(__keytool_tokens -t)"
        set -l index (count (__keytool_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'keytool' -f
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool" -eq 1' -fa 'id' -d 'Create, list, show and remove identities, and ask the directory for them.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool" -eq 1' -fa 'backup' -d 'Export an identity as a backup code, and import it again.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool" -eq 1' -fa 'safe' -d 'Store an encrypted backup of an identity on a Safe server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool" -eq 1' -fa 'key' -d 'Protect the keystore with a passphrase, and import key files.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool" -eq 1' -fa 'revoke' -d 'Prepare the revocation of an identity.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool" -eq 1' -fa 'qr' -d 'Draw QR codes in the terminal or as a picture.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool" -eq 1' -fa 'doctor' -d 'Check keystore, machine, terminal and servers for problems.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool id" -eq 1' -fa 'create' -d 'Create an identity.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool id" -eq 1' -fa 'list' -d 'List the identities of the keystore.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool id" -eq 1' -fa 'show' -d 'Show an identity\'s public key.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool id" -eq 1' -fa 'remove' -d 'Remove an identity from the keystore, with its private key.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool id" -eq 1' -fa 'fetch' -d 'Ask the directory for the public keys of identities.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" id' -l 'id' -d 'Use this ID instead of a random one; without a directory only.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" entropy' -l 'entropy' -d 'Mix the timing of your typing into the private key: keyboard.' -rfka 'keyboard'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" resume' -l 'resume' -d 'Finish a registration whose answer was lost.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" pending' -l 'pending' -d 'The registration with this public key, or the first digits of it.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" directory' -l 'directory' -d 'The address of the directory: https://… (KEYTOOL_DIRECTORY).' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" directory-ca-file' -l 'directory-ca-file' -d 'Trust the certificate authorities in this file (PEM) instead of the system\'s (KEYTOOL_DIRECTORY_CA_FILE).' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create"' -l 'directory-pin' -d 'Accept only a directory with this public key, sha256//BASE64, in addition to all other checks; may be repeated (KEYTOOL_DIRECTORY_PIN).' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" no-passphrase' -l 'no-passphrase' -d 'Create a new keystore without a passphrase; do not ask for one, and do not warn.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" weak-ok' -l 'weak-ok' -d 'Accept a weak passphrase for a new keystore; only warn.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id create" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id list" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id list" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id list" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id list" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id list" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id list" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id list" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id list" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id list" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id list" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id show" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id show" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id show" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id show" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id show" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id show" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool id show" -eq 1' -fka '(__keytool_custom_completion ---completion id show -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id show" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id show" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id show" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id show" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id remove" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id remove" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id remove" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id remove" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id remove" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id remove" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool id remove" -eq 1' -fka '(__keytool_custom_completion ---completion id remove -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id remove" yes' -l 'yes' -d 'Do not ask for confirmation.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id remove" pending' -l 'pending' -d 'The registration with this public key, or the first digits of it.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id remove" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id remove" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id remove" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id remove" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id remove" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool id fetch" -ge 1' -fka '(__keytool_custom_completion ---completion id fetch -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch" directory' -l 'directory' -d 'The address of the directory: https://… (KEYTOOL_DIRECTORY).' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch" directory-ca-file' -l 'directory-ca-file' -d 'Trust the certificate authorities in this file (PEM) instead of the system\'s (KEYTOOL_DIRECTORY_CA_FILE).' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch"' -l 'directory-pin' -d 'Accept only a directory with this public key, sha256//BASE64, in addition to all other checks; may be repeated (KEYTOOL_DIRECTORY_PIN).' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool id fetch" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool backup" -eq 1' -fa 'export' -d 'Export an identity as a backup code.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool backup" -eq 1' -fa 'import' -d 'Restore an identity from its backup code.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool backup" -eq 1' -fa 'check' -d 'Check that a backup code opens. Stores only the date of the check.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool backup export" -eq 1' -fka '(__keytool_custom_completion ---completion backup export -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" scheme' -l 'scheme' -d 'pbkdf2 (80 characters), or argon2id (104; iOS cannot read it).' -rfka 'pbkdf2 argon2id'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" o output' -l 'output' -s 'o' -d 'Write the code to a new file (mode 0600), or to stdout for -.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" qr-file' -l 'qr-file' -d 'Also write the QR code to a new picture (mode 0600). The name says whether PNG or SVG.' -rfa '(set -l exts \'png\' \'svg\';for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.{$exts};printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" sheet' -l 'sheet' -d 'Also write a page to print (mode 0600): code, QR code, public key, and how to restore them.' -rfa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'svg\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" force' -l 'force' -d 'Overwrite existing files.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" qr' -l 'qr' -d 'Also draw the code as a QR code.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" mode' -l 'mode' -d 'How to draw: auto, utf8 (half blocks), blocks (coloured blanks) or ascii.' -rfka 'auto utf8 blocks ascii'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" qr-wait' -l 'qr-wait' -d 'Draw on the terminal\'s second screen, and clear it when you press Enter. Nothing stays in the scrollback.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" weak-ok' -l 'weak-ok' -d 'Accept a weak password; only warn.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" backup-password-file' -l 'backup-password-file' -d 'Read the backup password from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" backup-password-command' -l 'backup-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" backup-password-fd' -l 'backup-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup export" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool backup import" -eq 1' -F
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" qr-image' -l 'qr-image' -d 'Read the code from a photo or scan of its QR code. Needs zbarimg.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" expect-id' -l 'expect-id' -d 'Fail (19) if the code holds another ID.' -rfka '(__keytool_custom_completion ---completion backup import -- --expect-id (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" expect-public-key' -l 'expect-public-key' -d 'Fail (19) if the public key differs.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" expect-check' -l 'expect-check' -d 'Fail (19) if the check word differs.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" backup-password-file' -l 'backup-password-file' -d 'Read the backup password from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" backup-password-command' -l 'backup-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" backup-password-fd' -l 'backup-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" no-passphrase' -l 'no-passphrase' -d 'Create a new keystore without a passphrase; do not ask for one, and do not warn.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" weak-ok' -l 'weak-ok' -d 'Accept a weak passphrase for a new keystore; only warn.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" replace' -l 'replace' -d 'Overwrite another private key of this ID in the keystore.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup import" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool backup check" -eq 1' -F
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" qr-image' -l 'qr-image' -d 'Read the code from a photo or scan of its QR code. Needs zbarimg.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" expect-id' -l 'expect-id' -d 'Fail (19) if the code holds another ID.' -rfka '(__keytool_custom_completion ---completion backup check -- --expect-id (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" expect-public-key' -l 'expect-public-key' -d 'Fail (19) if the public key differs.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" expect-check' -l 'expect-check' -d 'Fail (19) if the check word differs.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" backup-password-file' -l 'backup-password-file' -d 'Read the backup password from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" backup-password-command' -l 'backup-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" backup-password-fd' -l 'backup-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool backup check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe" -eq 1' -fa 'setup' -d 'Choose the server and the password of an identity\'s Safe.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe" -eq 1' -fa 'push' -d 'Upload the Safe backup if it is due.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe" -eq 1' -fa 'pull' -d 'Restore an identity and its profile from its Safe backup.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe" -eq 1' -fa 'status' -d 'Show how old the Safe backup is. Only --remote contacts the server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe" -eq 1' -fa 'check' -d 'Verify that the Safe backup opens and equals the last upload.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe" -eq 1' -fa 'passwd' -d 'Change the Safe password.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe" -eq 1' -fa 'move' -d 'Move the Safe backup to another server or directory.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe" -eq 1' -fa 'server' -d 'Show or change the address, login and certificates of the Safe server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe" -eq 1' -fa 'delete' -d 'Delete the Safe backup from its server, and forget the setup.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe setup" -eq 1' -fka '(__keytool_custom_completion ---completion safe setup -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" server' -l 'server' -d 'The Safe server: https://…, threema for the messenger\'s own, or file:///DIR (setup, pull: KEYTOOL_SERVER).' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" server-file' -l 'server-file' -d 'Read the server\'s address from this file; it may contain a login: https://USER:PASSWORD@HOST/PATH.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" server-user' -l 'server-user' -d 'The user name on the server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" ca-file' -l 'ca-file' -d 'Trust the certificate authorities in this file (PEM) instead of the system\'s.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup"' -l 'pin' -d 'Accept only a server with this public key, sha256//BASE64, in addition to all other checks; may be repeated.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" server-password-file' -l 'server-password-file' -d 'Read the Safe server password from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" server-password-command' -l 'server-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" server-password-fd' -l 'server-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" create' -l 'create' -d 'Prepare a new or empty directory: make backups/ and config.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" no-test' -l 'no-test' -d 'Do not test the server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" weak-ok' -l 'weak-ok' -d 'Accept a weak password; only warn.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" safe-password-file' -l 'safe-password-file' -d 'Read the Safe password from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" safe-password-command' -l 'safe-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" safe-password-fd' -l 'safe-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" timeout' -l 'timeout' -d 'Time limit for one request to the server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" retry-max-time' -l 'retry-max-time' -d 'Total time limit for all attempts at one server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe setup" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe push" -eq 1' -fka '(__keytool_custom_completion ---completion safe push -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" force' -l 'force' -d 'Upload now, even if nothing is due.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" overwrite' -l 'overwrite' -d 'Replace the backup of another device.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" accept-loss' -l 'accept-loss' -d 'Upload even if more than half of the contacts are gone since the last upload.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" resume-deleted' -l 'resume-deleted' -d 'Upload again after an interrupted deletion.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" no-verify' -l 'no-verify' -d 'Do not read the uploaded backup back.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" dry-run' -l 'dry-run' -d 'Only show what would be done.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" all' -l 'all' -d 'Push every identity whose Safe is set up.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" jitter' -l 'jitter' -d 'Wait first, for a random part of this time.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" tolerate' -l 'tolerate' -d 'Exit 0 silently if the server is unavailable or the keystore is in use, until the last success is older.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" lock-wait' -l 'lock-wait' -d 'How long to wait for another keytool process (default 1m).' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" timeout' -l 'timeout' -d 'Time limit for one request to the server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" retry-max-time' -l 'retry-max-time' -d 'Total time limit for all attempts at one server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" metrics-file' -l 'metrics-file' -d 'Write the result to this file, in the format of Prometheus\' textfile collector.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" alias' -l 'alias' -d 'The name of the backup in the metrics. The ID is never written.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" ping-url-file' -l 'ping-url-file' -d 'Report to the monitoring service whose https:// address is in this file: /start, then /<exit code>.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe push" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe pull" -eq 1' -fka '(__keytool_custom_completion ---completion safe pull -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" id' -l 'id' -d 'Restore this ID, with --server and the Safe password.' -rfka '(__keytool_custom_completion ---completion safe pull -- --id (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" server' -l 'server' -d 'The Safe server: https://…, threema for the messenger\'s own, or file:///DIR (setup, pull: KEYTOOL_SERVER).' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" server-file' -l 'server-file' -d 'Read the server\'s address from this file; it may contain a login: https://USER:PASSWORD@HOST/PATH.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" server-user' -l 'server-user' -d 'The user name on the server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" ca-file' -l 'ca-file' -d 'Trust the certificate authorities in this file (PEM) instead of the system\'s.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull"' -l 'pin' -d 'Accept only a server with this public key, sha256//BASE64, in addition to all other checks; may be repeated.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" server-password-file' -l 'server-password-file' -d 'Read the Safe server password from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" server-password-command' -l 'server-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" server-password-fd' -l 'server-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" replace' -l 'replace' -d 'Accept an older backup, and the loss of changes that were not uploaded; replace damaged records.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" replace-key' -l 'replace-key' -d 'Replace the private key of this ID in the keystore with the one in the backup.' -rfka '(__keytool_custom_completion ---completion safe pull -- --replace-key (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" no-setup' -l 'no-setup' -d 'Do not store server and Safe key.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" o output' -l 'output' -s 'o' -d 'Write the document, without the private key, to a new file (0600), - for stdout; store nothing.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" force' -l 'force' -d 'Overwrite an existing file.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" reveal-private-key' -l 'reveal-private-key' -d 'Also write the private key to the file. Anyone who has it can act as you.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" raw' -l 'raw' -d 'Write the encrypted backup as it is, even if it is damaged; store nothing.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" show' -l 'show' -d 'Only show what is in the backup; store nothing.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" safe-password-file' -l 'safe-password-file' -d 'Read the Safe password from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" safe-password-command' -l 'safe-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" safe-password-fd' -l 'safe-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" no-passphrase' -l 'no-passphrase' -d 'Create a new keystore without a passphrase; do not ask for one, and do not warn.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" weak-ok' -l 'weak-ok' -d 'Accept a weak passphrase for a new keystore; only warn.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" timeout' -l 'timeout' -d 'Time limit for one request to the server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" retry-max-time' -l 'retry-max-time' -d 'Total time limit for all attempts at one server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe pull" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe status" -eq 1' -fka '(__keytool_custom_completion ---completion safe status -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" max-age' -l 'max-age' -d 'Fail (18) if the backup was not seen on the server within this time, or if the last check failed.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" remote' -l 'remote' -d 'Also ask the server. Fail if the backup is missing (10), damaged (65), older (19) or of another device (20).'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" timeout' -l 'timeout' -d 'Time limit for one request to the server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" retry-max-time' -l 'retry-max-time' -d 'Total time limit for all attempts at one server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe status" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe check" -eq 1' -fka '(__keytool_custom_completion ---completion safe check -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" with-password' -l 'with-password' -d 'Also ask for the Safe password, to verify that you still know it.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" safe-password-file' -l 'safe-password-file' -d 'Read the Safe password from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" safe-password-command' -l 'safe-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" safe-password-fd' -l 'safe-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" timeout' -l 'timeout' -d 'Time limit for one request to the server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" retry-max-time' -l 'retry-max-time' -d 'Total time limit for all attempts at one server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe passwd" -eq 1' -fka '(__keytool_custom_completion ---completion safe passwd -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" overwrite' -l 'overwrite' -d 'Replace or delete the backup of another device at the old or the new place.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" accept-loss' -l 'accept-loss' -d 'Upload even if more than half of the contacts are gone since the last upload.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" abort' -l 'abort' -d 'Cancel an unfinished change of password or place.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" weak-ok' -l 'weak-ok' -d 'Accept a weak password; only warn.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" new-safe-password-file' -l 'new-safe-password-file' -d 'Read the new Safe password from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" new-safe-password-command' -l 'new-safe-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" new-safe-password-fd' -l 'new-safe-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" timeout' -l 'timeout' -d 'Time limit for one request to the server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" retry-max-time' -l 'retry-max-time' -d 'Total time limit for all attempts at one server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe passwd" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe move" -eq 1' -fka '(__keytool_custom_completion ---completion safe move -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" server' -l 'server' -d 'The Safe server: https://…, threema for the messenger\'s own, or file:///DIR (setup, pull: KEYTOOL_SERVER).' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" server-file' -l 'server-file' -d 'Read the server\'s address from this file; it may contain a login: https://USER:PASSWORD@HOST/PATH.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" server-user' -l 'server-user' -d 'The user name on the server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" ca-file' -l 'ca-file' -d 'Trust the certificate authorities in this file (PEM) instead of the system\'s.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move"' -l 'pin' -d 'Accept only a server with this public key, sha256//BASE64, in addition to all other checks; may be repeated.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" server-password-file' -l 'server-password-file' -d 'Read the Safe server password from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" server-password-command' -l 'server-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" server-password-fd' -l 'server-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" create' -l 'create' -d 'Prepare a new or empty directory there: make backups/ and config.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" leave-old' -l 'leave-old' -d 'Do not delete the backup at the old place.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" overwrite' -l 'overwrite' -d 'Replace or delete the backup of another device at the old or the new place.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" accept-loss' -l 'accept-loss' -d 'Upload even if more than half of the contacts are gone since the last upload.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" abort' -l 'abort' -d 'Cancel an unfinished change of password or place.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" timeout' -l 'timeout' -d 'Time limit for one request to the server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" retry-max-time' -l 'retry-max-time' -d 'Total time limit for all attempts at one server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe move" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe server" -eq 1' -fka '(__keytool_custom_completion ---completion safe server -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" server' -l 'server' -d 'The Safe server: https://…, threema for the messenger\'s own, or file:///DIR (setup, pull: KEYTOOL_SERVER).' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" server-file' -l 'server-file' -d 'Read the server\'s address from this file; it may contain a login: https://USER:PASSWORD@HOST/PATH.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" server-user' -l 'server-user' -d 'The user name on the server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" ca-file' -l 'ca-file' -d 'Trust the certificate authorities in this file (PEM) instead of the system\'s.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server"' -l 'pin' -d 'Accept only a server with this public key, sha256//BASE64, in addition to all other checks; may be repeated.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" server-password-file' -l 'server-password-file' -d 'Read the Safe server password from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" server-password-command' -l 'server-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" server-password-fd' -l 'server-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" no-login' -l 'no-login' -d 'Use the server without user name and password.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" no-ca' -l 'no-ca' -d 'Trust the system\'s certificate authorities again.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" no-pins' -l 'no-pins' -d 'Remove all pins; all other checks of the certificate still apply.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" forget-old' -l 'forget-old' -d 'Stop trying to delete an old backup that an earlier change could not delete.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" timeout' -l 'timeout' -d 'Time limit for one request to the server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" retry-max-time' -l 'retry-max-time' -d 'Total time limit for all attempts at one server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe server" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool safe delete" -eq 1' -fka '(__keytool_custom_completion ---completion safe delete -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" keep-setup' -l 'keep-setup' -d 'Retain server and Safe key; the next push uploads again.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" force' -l 'force' -d 'Forget the setup even if the backup cannot be deleted, or if the setup is damaged.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" yes' -l 'yes' -d 'Do not ask for confirmation.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" timeout' -l 'timeout' -d 'Time limit for one request to the server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" retry-max-time' -l 'retry-max-time' -d 'Total time limit for all attempts at one server.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool safe delete" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool key" -eq 1' -fa 'status' -d 'Show how the master key is protected. Needs no passphrase.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool key" -eq 1' -fa 'protect' -d 'Protect the keystore with a passphrase.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool key" -eq 1' -fa 'passwd' -d 'Change the keystore\'s passphrase.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool key" -eq 1' -fa 'unprotect' -d 'Remove the passphrase from the keystore.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool key" -eq 1' -fa 'import' -d 'Import a key file of the Android or Desktop app.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool key" -eq 1' -fa 'unlock' -d 'Keep the keystore unlocked for a while.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool key" -eq 1' -fa 'lock' -d 'Remove the unlocked key from the kernel\'s keyring.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key status" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key status" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key status" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key status" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key status" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key status" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key status" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key status" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key protect" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key protect" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key protect" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key protect" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key protect" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key protect" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key protect" scheme' -l 'scheme' -d 'argon2id, or scrypt, which the whitepaper describes.' -rfka 'argon2id scrypt'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key protect" weak-ok' -l 'weak-ok' -d 'Accept a weak passphrase; only warn.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key protect" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key protect" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key protect" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key protect" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key protect" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" scheme' -l 'scheme' -d 'argon2id, or scrypt, which the whitepaper describes.' -rfka 'argon2id scrypt'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" weak-ok' -l 'weak-ok' -d 'Accept a weak passphrase; only warn.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" new-passphrase-file' -l 'new-passphrase-file' -d 'Read the new keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" new-passphrase-command' -l 'new-passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" new-passphrase-fd' -l 'new-passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key passwd" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unprotect" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unprotect" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unprotect" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unprotect" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unprotect" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unprotect" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unprotect" yes' -l 'yes' -d 'Do not ask for confirmation.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unprotect" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unprotect" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unprotect" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unprotect" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unprotect" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool key import" -eq 1' -F
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" check' -l 'check' -d 'Only open the file and show what it contains; store nothing.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" replace' -l 'replace' -d 'Overwrite another private key of this ID in the keystore (Desktop file only).'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" file-passphrase-file' -l 'file-passphrase-file' -d 'Read the passphrase of the file from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" file-passphrase-command' -l 'file-passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" file-passphrase-fd' -l 'file-passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" no-passphrase' -l 'no-passphrase' -d 'Create a new keystore without a passphrase; do not ask for one, and do not warn.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" weak-ok' -l 'weak-ok' -d 'Accept a weak passphrase for a new keystore; only warn.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key import" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unlock" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unlock" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unlock" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unlock" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unlock" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unlock" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unlock" for' -l 'for' -d 'How long, at most 24h.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unlock" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unlock" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unlock" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unlock" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key unlock" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key lock" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key lock" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key lock" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key lock" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key lock" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key lock" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key lock" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool key lock" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool revoke" -eq 1' -fa 'hash' -d 'Print the hash of a revocation password that the directory stores.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke hash" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke hash" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke hash" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke hash" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke hash" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke hash" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke hash" format' -l 'format' -d 'The output format.' -rfka 'base64 hex'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke hash" revocation-password-file' -l 'revocation-password-file' -d 'Read the revocation password from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke hash" revocation-password-command' -l 'revocation-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke hash" revocation-password-fd' -l 'revocation-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke hash" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool revoke hash" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool qr" -eq 1' -fa 'show' -d 'Draw the text on stdin as a QR code.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool qr" -eq 1' -fa 'contact' -d 'Draw the QR code that contacts scan: ID and public key.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr show" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr show" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr show" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr show" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr show" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr show" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr show" mode' -l 'mode' -d 'How to draw: auto, utf8 (half blocks), blocks (coloured blanks) or ascii.' -rfka 'auto utf8 blocks ascii'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr show" qr-file' -l 'qr-file' -d 'Write a new picture (mode 0600) instead. The name says whether PNG or SVG.' -rfa '(set -l exts \'png\' \'svg\';for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.{$exts};printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr show" force' -l 'force' -d 'Overwrite an existing file.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr show" qr-wait' -l 'qr-wait' -d 'Draw on the terminal\'s second screen, and clear it when you press Enter. Nothing stays in the scrollback.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr show" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_positional "keytool qr contact" -eq 1' -fka '(__keytool_custom_completion ---completion qr contact -- positional@0 (count (__keytool_tokens -pc)) (__keytool_tokens -tC))'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" mode' -l 'mode' -d 'How to draw: auto, utf8 (half blocks), blocks (coloured blanks) or ascii.' -rfka 'auto utf8 blocks ascii'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" qr-file' -l 'qr-file' -d 'Write a new picture (mode 0600) instead. The name says whether PNG or SVG.' -rfa '(set -l exts \'png\' \'svg\';for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.{$exts};printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" force' -l 'force' -d 'Overwrite an existing file.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" qr-wait' -l 'qr-wait' -d 'Draw on the terminal\'s second screen, and clear it when you press Enter. Nothing stays in the scrollback.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool qr contact" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool doctor" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool doctor" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and each request to a server.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool doctor" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool doctor" keystore' -l 'keystore' -d 'The directory of the keystore (KEYTOOL_KEYSTORE).' -rfa '(__keytool_complete_directories)'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool doctor" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool doctor" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool doctor" passphrase-file' -l 'passphrase-file' -d 'Read the keystore passphrase from a file, - for stdin.' -rF
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool doctor" passphrase-command' -l 'passphrase-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool doctor" passphrase-fd' -l 'passphrase-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool doctor" version' -l 'version' -d 'Show the version.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool doctor" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool' -n '__keytool_should_offer_completions_for_flags_or_options "keytool help" version' -l 'version' -d 'Show the version.'
