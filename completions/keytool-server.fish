function __keytool-server_may_be
    set -l words (commandline -poc)
    for name in (string split ' ' -- $argv[1])[2..]
        contains -- $name $words; or return 1
    end
    true
end

function __keytool-server_should_offer_completions_for_flags_or_options -a expected_commands
    __keytool-server_may_be "$expected_commands"; or return 1
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __keytool-server_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __keytool-server_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    __keytool-server_may_be "$expected_commands"; or return 1
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __keytool-server_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __keytool-server_parse_tokens -S
    set -l unparsed_tokens (__keytool-server_tokens -pc)
    switch $unparsed_tokens[1]
    case 'keytool-server'
        __keytool-server_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'no-input' 'color=' 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'serve'
            __keytool-server_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'no-input' 'color=' 'store=' 's3-access-key=' 's3-secret-key-file=' 's3-secret-key-command=' 's3-secret-key-fd=' 's3-ca-file=' 's3-region=' 'accounts=' 'max-backup-bytes=' 'retention-days=' 'tls-self-signed=' 'tls-certificate=' 'tls-key=' 'listen=' 'metrics-listen=' 'behind-proxy=' 'proxy-header=' 'client-rate=' 'backup-rate=' 'max-connections=' 'max-connections-per-client=' 'max-body-memory=' 'head-timeout=' 'body-timeout=' 'idle-timeout=' 'workers=' 'keep-previous=' 'keep-versions=' 'log-requests' 'log-clients' 'log-accounts' 'metrics-accounts' 'version' 'h/help'
        case 'account'
            __keytool-server_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'no-input' 'color=' 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'add'
                __keytool-server_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'no-input' 'color=' 'quota=' 'weak-ok' 'account-password-file=' 'account-password-command=' 'account-password-fd=' 'store=' 'accounts=' 'version' 'h/help'
            case 'remove'
                __keytool-server_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'no-input' 'color=' 'delete-backups' 'yes' 'store=' 'accounts=' 'version' 'h/help'
            case 'list'
                __keytool-server_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'no-input' 'color=' 'max-age=' 'store=' 'accounts=' 'version' 'h/help'
            case 'passwd'
                __keytool-server_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'no-input' 'color=' 'weak-ok' 'account-password-file=' 'account-password-command=' 'account-password-fd=' 'store=' 'accounts=' 'version' 'h/help'
            case 'quota'
                __keytool-server_parse_subcommand 2 'q/quiet' 'v/verbose' 'json' 'no-input' 'color=' 'store=' 'accounts=' 'version' 'h/help'
            end
        case 'sweep'
            __keytool-server_parse_subcommand 0 'q/quiet' 'v/verbose' 'json' 'no-input' 'color=' 'dry-run' 'force' 'keep-previous=' 'store=' 'version' 'h/help'
        case 'versions'
            __keytool-server_parse_subcommand 1 'q/quiet' 'v/verbose' 'json' 'no-input' 'color=' 'account=' 'store=' 'version' 'h/help'
        case 'restore'
            __keytool-server_parse_subcommand 2 'q/quiet' 'v/verbose' 'json' 'no-input' 'color=' 'account=' 'at=' 'dry-run' 'yes' 'store=' 'version' 'h/help'
        case 'help'
            __keytool-server_parse_subcommand -r 1 'version'
        end
    end
end

function __keytool-server_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __keytool-server_parse_subcommand -S -a positional_count
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

function __keytool-server_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __keytool-server_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__keytool-server_tokens -p)
    if test -z "$(__keytool-server_tokens -t)"
        set -l index (count (__keytool-server_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'keytool-server' -f
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and the backups of a sweep.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server" version' -l 'version' -d 'Show the version.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_positional "keytool-server" -eq 1' -fa 'serve' -d 'Serve the backups of a store until a signal stops it.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_positional "keytool-server" -eq 1' -fa 'account' -d 'The accounts of the server.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_positional "keytool-server" -eq 1' -fa 'sweep' -d 'Delete expired backups and old previous backups, once.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_positional "keytool-server" -eq 1' -fa 'versions' -d 'List the previous backups of an id, or the ids that have some.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_positional "keytool-server" -eq 1' -fa 'restore' -d 'Store a previous backup again, or those of an account at a time.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_positional "keytool-server" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and the backups of a sweep.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" store' -l 'store' -d 'The backups: file:///DIR, or for serve also s3://HOST/PREFIX (KEYTOOL_SERVER_STORE).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" s3-access-key' -l 's3-access-key' -d 'The access key of the S3 server; it is not secret.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" s3-secret-key-file' -l 's3-secret-key-file' -d 'Read the secret key of the S3 server from a file, - for stdin.' -rF
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" s3-secret-key-command' -l 's3-secret-key-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" s3-secret-key-fd' -l 's3-secret-key-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" s3-ca-file' -l 's3-ca-file' -d 'Trust the certificates in this file (PEM), not those of the system.' -rF
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" s3-region' -l 's3-region' -d 'The region of the S3 server (default: us-east-1).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" accounts' -l 'accounts' -d 'The file of accounts, for servers on an object store (KEYTOOL_SERVER_ACCOUNTS).' -rF
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" max-backup-bytes' -l 'max-backup-bytes' -d 'Longest backup (default: 524288). For a directory, see its file config.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" retention-days' -l 'retention-days' -d 'Days after which apps consider a backup expired (default: 180). For a directory, see its file config.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" tls-self-signed' -l 'tls-self-signed' -d 'Make a key and a certificate for these host names and addresses, with commas between them.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" tls-certificate' -l 'tls-certificate' -d 'The server\'s certificate and those between it and the authority (PEM). SIGHUP reads it again.' -rF
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" tls-key' -l 'tls-key' -d 'The key of --tls-certificate (PEM, without a passphrase).' -rF
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" listen' -l 'listen' -d 'Listen here: ADDRESS:PORT, or unix:/PATH for a proxy (default: port 8443 of all addresses).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" metrics-listen' -l 'metrics-listen' -d 'Answer GET /metrics here, for Prometheus: ADDRESS:PORT or unix:/PATH, without TLS.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" behind-proxy' -l 'behind-proxy' -d 'Believe these proxies who the client is: 192.0.2.1, 10.0.0.0/8 or unix, with commas between them.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" proxy-header' -l 'proxy-header' -d 'The header that these proxies set: x-forwarded-for or forwarded (default: x-forwarded-for).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" client-rate' -l 'client-rate' -d 'Requests a minute of one client; as many may come at once (default: 240).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" backup-rate' -l 'backup-rate' -d 'Requests a minute for one backup; twice as many may come at once (default: 30).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" max-connections' -l 'max-connections' -d 'Most open connections (default: 512).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" max-connections-per-client' -l 'max-connections-per-client' -d 'Most open connections of one client (default: 64).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" max-body-memory' -l 'max-body-memory' -d 'Most MiB of uploads in memory at once (default: 64).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" head-timeout' -l 'head-timeout' -d 'Time for a handshake, and then for the first head (default: 15s).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" body-timeout' -l 'body-timeout' -d 'Time for a body or an answer, beside a second for each 8 KiB (default: 30s).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" idle-timeout' -l 'idle-timeout' -d 'Close a connection after this time without a request (default: 60s).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" workers' -l 'workers' -d 'Threads that read backups, and as many that write them (default: 16).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" keep-previous' -l 'keep-previous' -d 'How long to retain backups that were replaced or deleted; 0s for not at all (default: 7d).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" keep-versions' -l 'keep-versions' -d 'How many previous backups of each backup to retain, beside the first and last of each day (default: 5).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" log-requests' -l 'log-requests' -d 'Log each request as a line of JSON: method, kind of target, status, bytes and time.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" log-clients' -l 'log-clients' -d 'Log the address of each request\'s client, too.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" log-accounts' -l 'log-accounts' -d 'Log the account of each request, too.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" metrics-accounts' -l 'metrics-accounts' -d 'Name the accounts in the metrics, with the number and the bytes of their backups.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" version' -l 'version' -d 'Show the version.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server serve" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and the backups of a sweep.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account" version' -l 'version' -d 'Show the version.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_positional "keytool-server account" -eq 1' -fa 'add' -d 'Add an account.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_positional "keytool-server account" -eq 1' -fa 'remove' -d 'Remove an account.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_positional "keytool-server account" -eq 1' -fa 'list' -d 'List the accounts, with their backups, previous backups and quotas.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_positional "keytool-server account" -eq 1' -fa 'passwd' -d 'Change the password of an account.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_positional "keytool-server account" -eq 1' -fa 'quota' -d 'Change the quota of an account.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and the backups of a sweep.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" quota' -l 'quota' -d 'Most bytes of all backups of the account (default: no limit).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" weak-ok' -l 'weak-ok' -d 'Accept a weak password; only warn.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" account-password-file' -l 'account-password-file' -d 'Read the account password from a file, - for stdin.' -rF
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" account-password-command' -l 'account-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" account-password-fd' -l 'account-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" store' -l 'store' -d 'The backups: file:///DIR, or for serve also s3://HOST/PREFIX (KEYTOOL_SERVER_STORE).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" accounts' -l 'accounts' -d 'The file of accounts, for servers on an object store (KEYTOOL_SERVER_ACCOUNTS).' -rF
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" version' -l 'version' -d 'Show the version.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account add" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account remove" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account remove" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and the backups of a sweep.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account remove" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account remove" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account remove" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account remove" delete-backups' -l 'delete-backups' -d 'Delete its backups and previous backups, too.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account remove" yes' -l 'yes' -d 'Do not ask for confirmation.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account remove" store' -l 'store' -d 'The backups: file:///DIR, or for serve also s3://HOST/PREFIX (KEYTOOL_SERVER_STORE).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account remove" accounts' -l 'accounts' -d 'The file of accounts, for servers on an object store (KEYTOOL_SERVER_ACCOUNTS).' -rF
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account remove" version' -l 'version' -d 'Show the version.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account remove" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account list" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account list" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and the backups of a sweep.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account list" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account list" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account list" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account list" max-age' -l 'max-age' -d 'Fail (18) if an account has not uploaded within this time.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account list" store' -l 'store' -d 'The backups: file:///DIR, or for serve also s3://HOST/PREFIX (KEYTOOL_SERVER_STORE).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account list" accounts' -l 'accounts' -d 'The file of accounts, for servers on an object store (KEYTOOL_SERVER_ACCOUNTS).' -rF
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account list" version' -l 'version' -d 'Show the version.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account passwd" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account passwd" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and the backups of a sweep.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account passwd" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account passwd" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account passwd" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account passwd" weak-ok' -l 'weak-ok' -d 'Accept a weak password; only warn.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account passwd" account-password-file' -l 'account-password-file' -d 'Read the account password from a file, - for stdin.' -rF
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account passwd" account-password-command' -l 'account-password-command' -d 'Read it from the output of a shell command.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account passwd" account-password-fd' -l 'account-password-fd' -d 'Read it from an open file descriptor.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account passwd" store' -l 'store' -d 'The backups: file:///DIR, or for serve also s3://HOST/PREFIX (KEYTOOL_SERVER_STORE).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account passwd" accounts' -l 'accounts' -d 'The file of accounts, for servers on an object store (KEYTOOL_SERVER_ACCOUNTS).' -rF
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account passwd" version' -l 'version' -d 'Show the version.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account passwd" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account quota" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account quota" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and the backups of a sweep.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account quota" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account quota" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account quota" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account quota" store' -l 'store' -d 'The backups: file:///DIR, or for serve also s3://HOST/PREFIX (KEYTOOL_SERVER_STORE).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account quota" accounts' -l 'accounts' -d 'The file of accounts, for servers on an object store (KEYTOOL_SERVER_ACCOUNTS).' -rF
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account quota" version' -l 'version' -d 'Show the version.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server account quota" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server sweep" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server sweep" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and the backups of a sweep.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server sweep" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server sweep" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server sweep" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server sweep" dry-run' -l 'dry-run' -d 'Only say what would be deleted.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server sweep" force' -l 'force' -d 'Delete although the clock or the number of expired backups is suspicious.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server sweep" keep-previous' -l 'keep-previous' -d 'How long to retain replaced or deleted backups, if not as serve does (KEYTOOL_SERVER_KEEP_PREVIOUS).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server sweep" store' -l 'store' -d 'The backups: file:///DIR, or for serve also s3://HOST/PREFIX (KEYTOOL_SERVER_STORE).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server sweep" version' -l 'version' -d 'Show the version.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server sweep" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server versions" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server versions" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and the backups of a sweep.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server versions" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server versions" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server versions" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server versions" account' -l 'account' -d 'The account whose backup it is.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server versions" store' -l 'store' -d 'The backups: file:///DIR, or for serve also s3://HOST/PREFIX (KEYTOOL_SERVER_STORE).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server versions" version' -l 'version' -d 'Show the version.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server versions" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server restore" q quiet' -l 'quiet' -s 'q' -d 'Print nothing on success.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server restore" v verbose' -l 'verbose' -s 'v' -d 'Print more: the exit code of an error, and the backups of a sweep.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server restore" json' -l 'json' -d 'Print one JSON document. An error is one JSON line on stderr.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server restore" no-input' -l 'no-input' -d 'Never ask a question. Fail if an answer is needed.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server restore" color' -l 'color' -d 'When to use colours.' -rfka 'auto always never'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server restore" account' -l 'account' -d 'The account whose backup it is.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server restore" at' -l 'at' -d 'Restore all backups of --account as they were at this time: 2026-11-21T03:00:00Z.' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server restore" dry-run' -l 'dry-run' -d 'Only say what would be restored.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server restore" yes' -l 'yes' -d 'Do not ask before a present backup is replaced.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server restore" store' -l 'store' -d 'The backups: file:///DIR, or for serve also s3://HOST/PREFIX (KEYTOOL_SERVER_STORE).' -rfka ''
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server restore" version' -l 'version' -d 'Show the version.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server restore" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keytool-server' -n '__keytool-server_should_offer_completions_for_flags_or_options "keytool-server help" version' -l 'version' -d 'Show the version.'
