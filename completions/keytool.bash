#!/bin/bash

__keytool_cursor_index_in_current_word() {
    local remaining="${COMP_LINE}"

    local word
    for word in "${COMP_WORDS[@]::COMP_CWORD}"; do
        remaining="${remaining##*([[:space:]])"${word}"*([[:space:]])}"
    done

    local -ir index="$((COMP_POINT - ${#COMP_LINE} + ${#remaining}))"
    if [[ "${index}" -le 0 ]]; then
        printf 0
    else
        printf %s "${index}"
    fi
}

# positional arguments:
#
# - 1: the current (sub)command's count of positional arguments
#
# required variables:
#
# - repeating_flags: the repeating flags that the current (sub)command can accept
# - non_repeating_flags: the non-repeating flags that the current (sub)command can accept
# - repeating_options: the repeating options that the current (sub)command can accept
# - non_repeating_options: the non-repeating options that the current (sub)command can accept
# - positional_number: value ignored
# - unparsed_words: unparsed words from the current command line
#
# modified variables:
#
# - non_repeating_flags: remove flags for this (sub)command that are already on the command line
# - non_repeating_options: remove options for this (sub)command that are already on the command line
# - positional_number: set to the current positional number
# - unparsed_words: remove all flags, options, and option values for this (sub)command
__keytool_offer_flags_options() {
    local -ir positional_count="${1}"
    positional_number=0

    local was_flag_option_terminator_seen=false
    local is_parsing_option_value=false

    local -ar unparsed_word_indices=("${!unparsed_words[@]}")
    local -i word_index
    for word_index in "${unparsed_word_indices[@]}"; do
        if "${is_parsing_option_value}"; then
            # This word is an option value:
            # Reset marker for next word iff not currently the last word
            [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]] && is_parsing_option_value=false
            unset "unparsed_words[${word_index}]"
            # Do not process this word as a flag or an option
            continue
        fi

        local word="${unparsed_words["${word_index}"]}"
        if ! "${was_flag_option_terminator_seen}"; then
            case "${word}" in
            --)
                unset "unparsed_words[${word_index}]"
                # by itself -- is a flag/option terminator, but if it is the last word, it is the start of a completion
                if [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]]; then
                    was_flag_option_terminator_seen=true
                fi
                continue
                ;;
            -*)
                # ${word} is a flag or an option
                # If ${word} is an option, mark that the next word to be parsed is an option value
                local option
                for option in "${repeating_options[@]}" "${non_repeating_options[@]}"; do
                    [[ "${word}" = "${option}" ]] && is_parsing_option_value=true && break
                done

                # Remove ${word} from ${non_repeating_flags} or ${non_repeating_options} so it isn't offered again
                local not_found=true
                local -i index
                for index in "${!non_repeating_flags[@]}"; do
                    if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                        unset "non_repeating_flags[${index}]"
                        non_repeating_flags=("${non_repeating_flags[@]}")
                        not_found=false
                        break
                    fi
                done
                if "${not_found}"; then
                    for index in "${!non_repeating_flags[@]}"; do
                        if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                            unset "non_repeating_flags[${index}]"
                            non_repeating_flags=("${non_repeating_flags[@]}")
                            break
                        fi
                    done
                fi
                unset "unparsed_words[${word_index}]"
                continue
                ;;
            esac
        fi

        # ${word} is neither a flag, nor an option, nor an option value
        if [[ "${positional_number}" -lt "${positional_count}" || "${positional_count}" -lt 0 ]]; then
            # ${word} is a positional
            ((positional_number++))
            unset "unparsed_words[${word_index}]"
        else
            if [[ -z "${word}" ]]; then
                # Could be completing a flag, option, or subcommand
                positional_number=-1
            else
                # ${word} is a subcommand or invalid, so stop processing this (sub)command
                positional_number=-2
            fi
            break
        fi
    done

    unparsed_words=("${unparsed_words[@]}")

    if\
        ! "${was_flag_option_terminator_seen}"\
        && ! "${is_parsing_option_value}"\
        && [[ ("${cur}" = -* && "${positional_number}" -ge 0) || "${positional_number}" -eq -1 ]]
    then
        COMPREPLY+=($(compgen -W "${repeating_flags[*]} ${non_repeating_flags[*]} ${repeating_options[*]} ${non_repeating_options[*]}" -- "${cur}"))
    fi
}

__keytool_add_completions() {
    compopt -o filenames
    local completion
    while IFS='' read -r completion; do
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}

__keytool_custom_complete() {
    if [[ -n "${cur}" || -z ${COMP_WORDS[${COMP_CWORD}]} || "${COMP_LINE:${COMP_POINT}:1}" != ' ' ]]; then
        local -ar words=("${COMP_WORDS[@]}")
    else
        local -ar words=("${COMP_WORDS[@]::${COMP_CWORD}}" '' "${COMP_WORDS[@]:${COMP_CWORD}}")
    fi

    "${COMP_WORDS[0]}" "${@}" "${words[@]}"
}

_keytool() {
    local state
    state="$(shopt -p;shopt -po)"
    trap "${state//$'\n'/;}" RETURN
    shopt -s extglob
    set +o history +o posix

    local -xr SAP_SHELL=bash
    local -x SAP_SHELL_VERSION
    SAP_SHELL_VERSION="$(IFS='.';printf %s "${BASH_VERSINFO[*]}")"
    local -r SAP_SHELL_VERSION

    local -r cur="${2}"
    local -r prev="${3}"

    local -i positional_number
    local -a unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")

    local -a repeating_flags=()
    local -a non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    local -a repeating_options=()
    local -a non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    id|backup|safe|profile|contact|revoke|qr|onprem|key|archive|doctor|telegram|textsecure|mainkey|sophaxchat|help)
        # Offer subcommand argument completions
        "_keytool_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'id backup safe profile contact revoke qr onprem key archive doctor telegram textsecure mainkey sophaxchat help' -- "${cur}"))
        ;;
    esac
}

_keytool_id() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    create|list|show|remove|fetch|link|revoke)
        # Offer subcommand argument completions
        "_keytool_id_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'create list show remove fetch link revoke' -- "${cur}"))
        ;;
    esac
}

_keytool_id_create() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --resume --no-passphrase --weak-ok --version -h --help)
    repeating_options=(--directory-pin)
    non_repeating_options=(--keystore --color --id --entropy --pending --onprem --directory --directory-ca-file --timeout --retry-max-time --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--id')
        __keytool_add_completions -W ''
        return
        ;;
    '--entropy')
        __keytool_add_completions -W 'keyboard'
        return
        ;;
    '--pending')
        __keytool_add_completions -W ''
        return
        ;;
    '--onprem')
        return
        ;;
    '--directory')
        return
        ;;
    '--directory-ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--directory-pin')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_id_list() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_id_show() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --reveal-gateway-secret --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion id show -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_id_remove() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --yes --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --pending --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--pending')
        __keytool_add_completions -W ''
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion id remove -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_id_fetch() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=(--directory-pin)
    non_repeating_options=(--keystore --color --directory --directory-ca-file --timeout --retry-max-time --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--directory')
        return
        ;;
    '--directory-ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--directory-pin')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion id fetch -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_id_link() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --call --remove --version -h --help)
    repeating_options=(--directory-pin)
    non_repeating_options=(--keystore --color --code --language --identity --directory --directory-ca-file --timeout --retry-max-time --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--code')
        return
        ;;
    '--language')
        return
        ;;
    '--identity')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion id link -- --identity "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--directory')
        return
        ;;
    '--directory-ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--directory-pin')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W 'email'$'\n''mobile'
        return
        ;;
    esac
}

_keytool_id_revoke() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --yes --version -h --help)
    repeating_options=(--directory-pin)
    non_repeating_options=(--keystore --color --revocation-password-file --revocation-password-command --revocation-password-fd --directory --directory-ca-file --timeout --retry-max-time --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--revocation-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--revocation-password-command')
        return
        ;;
    '--revocation-password-fd')
        return
        ;;
    '--directory')
        return
        ;;
    '--directory-ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--directory-pin')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion id revoke -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_backup() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    export|import|check|split|join|kit)
        # Offer subcommand argument completions
        "_keytool_backup_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'export import check split join kit' -- "${cur}"))
        ;;
    esac
}

_keytool_backup_export() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --reveal-private-key --force --qr --qr-wait --weak-ok --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --format --scheme --output -o --qr-file --sheet --language --mode --backup-password-file --backup-password-command --backup-password-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--format')
        __keytool_add_completions -W 'code'$'\n''gateway'
        return
        ;;
    '--scheme')
        __keytool_add_completions -W 'pbkdf2'$'\n''argon2id'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--qr-file')
        __keytool_add_completions -o plusdirs -fX '!*.@(png|svg)'
        return
        ;;
    '--sheet')
        __keytool_add_completions -o plusdirs -fX '!*.@(pdf|svg)'
        return
        ;;
    '--language')
        __keytool_add_completions -W 'de'$'\n''en'
        return
        ;;
    '--mode')
        __keytool_add_completions -W 'auto'$'\n''utf8'$'\n''blocks'$'\n''ascii'
        return
        ;;
    '--backup-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--backup-password-command')
        return
        ;;
    '--backup-password-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion backup export -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_backup_import() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --try-newer --no-passphrase --weak-ok --replace --replace-profile --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --qr-image --expect-id --expect-public-key --expect-check --backup-password-file --backup-password-command --backup-password-fd --id --file-passphrase-file --file-passphrase-command --file-passphrase-fd --gateway-secret-file --gateway-secret-command --gateway-secret-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--qr-image')
        __keytool_add_completions -f
        return
        ;;
    '--expect-id')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion backup import -- --expect-id "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--expect-public-key')
        return
        ;;
    '--expect-check')
        return
        ;;
    '--backup-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--backup-password-command')
        return
        ;;
    '--backup-password-fd')
        return
        ;;
    '--id')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion backup import -- --id "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--gateway-secret-file')
        __keytool_add_completions -f
        return
        ;;
    '--gateway-secret-command')
        return
        ;;
    '--gateway-secret-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_backup_check() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --try-newer --share --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --qr-image --expect-id --expect-public-key --expect-check --backup-password-file --backup-password-command --backup-password-fd --id --file-passphrase-file --file-passphrase-command --file-passphrase-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--qr-image')
        __keytool_add_completions -f
        return
        ;;
    '--expect-id')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion backup check -- --expect-id "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--expect-public-key')
        return
        ;;
    '--expect-check')
        return
        ;;
    '--backup-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--backup-password-command')
        return
        ;;
    '--backup-password-fd')
        return
        ;;
    '--id')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion backup check -- --id "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_backup_split() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --reveal-shares --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --shares --sheet --language --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--shares')
        return
        ;;
    '--sheet')
        __keytool_add_completions -d
        return
        ;;
    '--language')
        __keytool_add_completions -W 'de'$'\n''en'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion backup split -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_backup_join() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --no-passphrase --weak-ok --replace --version -h --help)
    repeating_options=(--directory-pin)
    non_repeating_options=(--keystore --color --id --expect-public-key --directory --directory-ca-file --timeout --retry-max-time --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--id')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion backup join -- --id "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--expect-public-key')
        return
        ;;
    '--directory')
        return
        ;;
    '--directory-ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--directory-pin')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_backup_kit() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --weak-ok --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --output -o --language --backup-password-file --backup-password-command --backup-password-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -o plusdirs -fX '!*.@(pdf)'
        return
        ;;
    '--language')
        __keytool_add_completions -W 'de'$'\n''en'
        return
        ;;
    '--backup-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--backup-password-command')
        return
        ;;
    '--backup-password-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion backup kit -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_safe() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    setup|push|pull|status|check|passwd|mirror|history|schedule|move|server|card|delete)
        # Offer subcommand argument completions
        "_keytool_safe_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'setup push pull status check passwd mirror history schedule move server card delete' -- "${cur}"))
        ;;
    esac
}

_keytool_safe_setup() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --same-password --create --read-only --no-test --weak-ok --version -h --help)
    repeating_options=(--ca-fingerprint --pin)
    non_repeating_options=(--keystore --color --name --server --server-file --onprem --server-user --ca-file --server-password-file --server-password-command --server-password-fd --safe-password-file --safe-password-command --safe-password-fd --passphrase-file --passphrase-command --passphrase-fd --timeout --retry-max-time)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--name')
        return
        ;;
    '--server')
        return
        ;;
    '--server-file')
        __keytool_add_completions -f
        return
        ;;
    '--onprem')
        return
        ;;
    '--server-user')
        return
        ;;
    '--ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--ca-fingerprint')
        return
        ;;
    '--pin')
        return
        ;;
    '--server-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--server-password-command')
        return
        ;;
    '--server-password-fd')
        return
        ;;
    '--safe-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--safe-password-command')
        return
        ;;
    '--safe-password-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe setup -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_safe_push() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --overwrite --accept-loss --resume-deleted --no-verify --dry-run --all --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --name --passphrase-file --passphrase-command --passphrase-fd --timeout --retry-max-time --jitter --tolerate --lock-wait --metrics-file --alias --ping-url-file)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--name')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--jitter')
        return
        ;;
    '--tolerate')
        return
        ;;
    '--lock-wait')
        return
        ;;
    '--metrics-file')
        __keytool_add_completions -f
        return
        ;;
    '--alias')
        return
        ;;
    '--ping-url-file')
        __keytool_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe push -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_safe_pull() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --replace --no-setup --read-only --force --reveal-private-key --raw --show --no-passphrase --weak-ok --version -h --help)
    repeating_options=(--ca-fingerprint --pin)
    non_repeating_options=(--keystore --color --name --id --server --server-file --onprem --server-user --ca-file --server-password-file --server-password-command --server-password-fd --replace-key --from --output -o --safe-password-file --safe-password-command --safe-password-fd --passphrase-file --passphrase-command --passphrase-fd --timeout --retry-max-time)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--name')
        return
        ;;
    '--id')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe pull -- --id "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--server')
        return
        ;;
    '--server-file')
        __keytool_add_completions -f
        return
        ;;
    '--onprem')
        return
        ;;
    '--server-user')
        return
        ;;
    '--ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--ca-fingerprint')
        return
        ;;
    '--pin')
        return
        ;;
    '--server-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--server-password-command')
        return
        ;;
    '--server-password-fd')
        return
        ;;
    '--replace-key')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe pull -- --replace-key "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--from')
        __keytool_add_completions -f
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--safe-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--safe-password-command')
        return
        ;;
    '--safe-password-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe pull -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_safe_status() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --all --remote --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --name --max-age --passphrase-file --passphrase-command --passphrase-fd --timeout --retry-max-time)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--name')
        return
        ;;
    '--max-age')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe status -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_safe_check() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --all --with-password --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --name --safe-password-file --safe-password-command --safe-password-fd --passphrase-file --passphrase-command --passphrase-fd --timeout --retry-max-time --jitter --metrics-file --alias --ping-url-file)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--name')
        return
        ;;
    '--safe-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--safe-password-command')
        return
        ;;
    '--safe-password-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--jitter')
        return
        ;;
    '--metrics-file')
        __keytool_add_completions -f
        return
        ;;
    '--alias')
        return
        ;;
    '--ping-url-file')
        __keytool_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe check -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_safe_passwd() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --overwrite --accept-loss --abort --adopt --weak-ok --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --name --new-safe-password-file --new-safe-password-command --new-safe-password-fd --passphrase-file --passphrase-command --passphrase-fd --timeout --retry-max-time)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--name')
        return
        ;;
    '--new-safe-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--new-safe-password-command')
        return
        ;;
    '--new-safe-password-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe passwd -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_safe_mirror() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --accept-loss --all --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --name --keep --max-age --passphrase-file --passphrase-command --passphrase-fd --timeout --retry-max-time --jitter --tolerate --lock-wait --metrics-file --alias --ping-url-file)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--name')
        return
        ;;
    '--keep')
        return
        ;;
    '--max-age')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--jitter')
        return
        ;;
    '--tolerate')
        return
        ;;
    '--lock-wait')
        return
        ;;
    '--metrics-file')
        __keytool_add_completions -f
        return
        ;;
    '--alias')
        return
        ;;
    '--ping-url-file')
        __keytool_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe mirror -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_safe_history() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=(--diff)
    non_repeating_options=(--keystore --color --name --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--name')
        return
        ;;
    '--diff')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe history -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_safe_schedule() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --systemd --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe schedule -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_safe_move() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --create --leave-old --overwrite --accept-loss --abort --version -h --help)
    repeating_options=(--ca-fingerprint --pin)
    non_repeating_options=(--keystore --color --name --server --server-file --onprem --server-user --ca-file --server-password-file --server-password-command --server-password-fd --passphrase-file --passphrase-command --passphrase-fd --timeout --retry-max-time)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--name')
        return
        ;;
    '--server')
        return
        ;;
    '--server-file')
        __keytool_add_completions -f
        return
        ;;
    '--onprem')
        return
        ;;
    '--server-user')
        return
        ;;
    '--ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--ca-fingerprint')
        return
        ;;
    '--pin')
        return
        ;;
    '--server-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--server-password-command')
        return
        ;;
    '--server-password-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe move -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_safe_server() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --no-login --no-ca --no-pins --forget-old --version -h --help)
    repeating_options=(--ca-fingerprint --pin)
    non_repeating_options=(--keystore --color --name --server --server-file --onprem --server-user --ca-file --server-password-file --server-password-command --server-password-fd --passphrase-file --passphrase-command --passphrase-fd --timeout --retry-max-time)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--name')
        return
        ;;
    '--server')
        return
        ;;
    '--server-file')
        __keytool_add_completions -f
        return
        ;;
    '--onprem')
        return
        ;;
    '--server-user')
        return
        ;;
    '--ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--ca-fingerprint')
        return
        ;;
    '--pin')
        return
        ;;
    '--server-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--server-password-command')
        return
        ;;
    '--server-password-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe server -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_safe_card() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --name --language --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--name')
        return
        ;;
    '--language')
        __keytool_add_completions -W 'de'$'\n''en'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -o plusdirs -fX '!*.@(pdf|svg)'
        return
        ;;
    2)
        __keytool_add_completions -o plusdirs -fX '!*.@(pdf|svg)'
        return
        ;;
    esac
}

_keytool_safe_delete() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --keep-setup --setup-only --force --yes --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --name --passphrase-file --passphrase-command --passphrase-fd --timeout --retry-max-time)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--name')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion safe delete -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_profile() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    show|set|export|import|diff)
        # Offer subcommand argument completions
        "_keytool_profile_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'show set export import diff' -- "${cur}"))
        ;;
    esac
}

_keytool_profile_show() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion profile show -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_profile_set() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --nickname --picture --picture-for --phone --email --blocked --sync-contacts --block-unknown --read-receipts --typing --calls --relay-calls --block-screenshots --private-keyboard --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--nickname')
        return
        ;;
    '--picture')
        __keytool_add_completions -f
        return
        ;;
    '--picture-for')
        return
        ;;
    '--phone')
        return
        ;;
    '--email')
        return
        ;;
    '--blocked')
        return
        ;;
    '--sync-contacts')
        __keytool_add_completions -W 'on'$'\n''off'
        return
        ;;
    '--block-unknown')
        __keytool_add_completions -W 'on'$'\n''off'
        return
        ;;
    '--read-receipts')
        __keytool_add_completions -W 'on'$'\n''off'
        return
        ;;
    '--typing')
        __keytool_add_completions -W 'on'$'\n''off'
        return
        ;;
    '--calls')
        __keytool_add_completions -W 'on'$'\n''off'
        return
        ;;
    '--relay-calls')
        __keytool_add_completions -W 'on'$'\n''off'
        return
        ;;
    '--block-screenshots')
        __keytool_add_completions -W 'on'$'\n''off'
        return
        ;;
    '--private-keyboard')
        __keytool_add_completions -W 'on'$'\n''off'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion profile set -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_profile_export() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --output -o --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion profile export -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_profile_import() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --replace --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --identity --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--identity')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion profile import -- --identity "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_profile_diff() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --identity --name --passphrase-file --passphrase-command --passphrase-fd --timeout --retry-max-time)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--identity')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion profile diff -- --identity "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--name')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_contact() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|add|verify|check|remove|match)
        # Offer subcommand argument completions
        "_keytool_contact_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list add verify check remove match' -- "${cur}"))
        ;;
    esac
}

_keytool_contact_list() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --format --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--format')
        __keytool_add_completions -W 'text'$'\n''csv'$'\n''vcard'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion contact list -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_contact_add() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --offline --version -h --help)
    repeating_options=(--directory-pin)
    non_repeating_options=(--keystore --color --qr-image --first-name --last-name --identity --directory --directory-ca-file --timeout --retry-max-time --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--qr-image')
        __keytool_add_completions -f
        return
        ;;
    '--first-name')
        return
        ;;
    '--last-name')
        return
        ;;
    '--identity')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion contact add -- --identity "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--directory')
        return
        ;;
    '--directory-ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--directory-pin')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_contact_verify() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --offline --version -h --help)
    repeating_options=(--directory-pin)
    non_repeating_options=(--keystore --color --qr-image --identity --directory --directory-ca-file --timeout --retry-max-time --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--qr-image')
        __keytool_add_completions -f
        return
        ;;
    '--identity')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion contact verify -- --identity "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--directory')
        return
        ;;
    '--directory-ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--directory-pin')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_contact_check() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --all --version -h --help)
    repeating_options=(--seen --directory-pin)
    non_repeating_options=(--keystore --color --identity --directory --directory-ca-file --timeout --retry-max-time --passphrase-file --passphrase-command --passphrase-fd --jitter --tolerate --lock-wait --metrics-file --alias --ping-url-file)
    __keytool_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--seen')
        __keytool_add_completions -W ''
        return
        ;;
    '--identity')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion contact check -- --identity "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--directory')
        return
        ;;
    '--directory-ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--directory-pin')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--jitter')
        return
        ;;
    '--tolerate')
        return
        ;;
    '--lock-wait')
        return
        ;;
    '--metrics-file')
        __keytool_add_completions -f
        return
        ;;
    '--alias')
        return
        ;;
    '--ping-url-file')
        __keytool_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __keytool_add_completions -W ''
        return
        ;;
    esac
}

_keytool_contact_remove() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --yes --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --identity --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--identity')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion contact remove -- --identity "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_contact_match() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --dry-run --add --version -h --help)
    repeating_options=(--directory-pin)
    non_repeating_options=(--keystore --color --identity --directory --directory-ca-file --timeout --retry-max-time --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--identity')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion contact match -- --identity "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--directory')
        return
        ;;
    '--directory-ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--directory-pin')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_revoke() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    hash|set|check)
        # Offer subcommand argument completions
        "_keytool_revoke_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'hash set check' -- "${cur}"))
        ;;
    esac
}

_keytool_revoke_hash() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --format --revocation-password-file --revocation-password-command --revocation-password-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--format')
        __keytool_add_completions -W 'base64'$'\n''hex'
        return
        ;;
    '--revocation-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--revocation-password-command')
        return
        ;;
    '--revocation-password-fd')
        return
        ;;
    esac
}

_keytool_revoke_set() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --weak-ok --version -h --help)
    repeating_options=(--directory-pin)
    non_repeating_options=(--keystore --color --revocation-password-file --revocation-password-command --revocation-password-fd --directory --directory-ca-file --timeout --retry-max-time --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--revocation-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--revocation-password-command')
        return
        ;;
    '--revocation-password-fd')
        return
        ;;
    '--directory')
        return
        ;;
    '--directory-ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--directory-pin')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion revoke set -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_revoke_check() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=(--directory-pin)
    non_repeating_options=(--keystore --color --directory --directory-ca-file --timeout --retry-max-time --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--directory')
        return
        ;;
    '--directory-ca-file')
        __keytool_add_completions -f
        return
        ;;
    '--directory-pin')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion revoke check -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_qr() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    show|contact)
        # Offer subcommand argument completions
        "_keytool_qr_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'show contact' -- "${cur}"))
        ;;
    esac
}

_keytool_qr_show() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --qr-wait --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --mode --qr-file)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--mode')
        __keytool_add_completions -W 'auto'$'\n''utf8'$'\n''blocks'$'\n''ascii'
        return
        ;;
    '--qr-file')
        __keytool_add_completions -o plusdirs -fX '!*.@(png|svg)'
        return
        ;;
    esac
}

_keytool_qr_contact() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --qr-wait --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --mode --qr-file --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--mode')
        __keytool_add_completions -W 'auto'$'\n''utf8'$'\n''blocks'$'\n''ascii'
        return
        ;;
    '--qr-file')
        __keytool_add_completions -o plusdirs -fX '!*.@(png|svg)'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion qr contact -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_onprem() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    import|show|forget)
        # Offer subcommand argument completions
        "_keytool_onprem_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'import show forget' -- "${cur}"))
        ;;
    esac
}

_keytool_onprem_import() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --replace --no-passphrase --weak-ok --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --key --name --onprem-user --onprem-password-file --onprem-password-command --onprem-password-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--key')
        return
        ;;
    '--name')
        return
        ;;
    '--onprem-user')
        return
        ;;
    '--onprem-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--onprem-password-command')
        return
        ;;
    '--onprem-password-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_onprem_show() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion onprem show -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_onprem_forget() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --yes --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion onprem forget -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_key() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    status|protect|passwd|unprotect|import|unlock|lock)
        # Offer subcommand argument completions
        "_keytool_key_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'status protect passwd unprotect import unlock lock' -- "${cur}"))
        ;;
    esac
}

_keytool_key_status() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac
}

_keytool_key_protect() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --weak-ok --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --scheme --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--scheme')
        __keytool_add_completions -W 'argon2id'$'\n''scrypt'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_key_passwd() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --weak-ok --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --scheme --passphrase-file --passphrase-command --passphrase-fd --new-passphrase-file --new-passphrase-command --new-passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--scheme')
        __keytool_add_completions -W 'argon2id'$'\n''scrypt'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--new-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--new-passphrase-command')
        return
        ;;
    '--new-passphrase-fd')
        return
        ;;
    esac
}

_keytool_key_unprotect() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --yes --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_key_import() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --check --no-passphrase --weak-ok --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --file-passphrase-file --file-passphrase-command --file-passphrase-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_key_unlock() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --for --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--for')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_key_lock() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac
}

_keytool_archive() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    export|import|check|list)
        # Offer subcommand argument completions
        "_keytool_archive_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'export import check list' -- "${cur}"))
        ;;
    esac
}

_keytool_archive_export() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --reveal-shares --with-sessions --skip-damaged --weak-ok --version -h --help)
    repeating_options=(--recipient)
    non_repeating_options=(--keystore --color --output -o --shares --sheet --language --lock-wait --archive-passphrase-file --archive-passphrase-command --archive-passphrase-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--recipient')
        return
        ;;
    '--shares')
        return
        ;;
    '--sheet')
        __keytool_add_completions -d
        return
        ;;
    '--language')
        __keytool_add_completions -W 'de'$'\n''en'
        return
        ;;
    '--lock-wait')
        return
        ;;
    '--archive-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--archive-passphrase-command')
        return
        ;;
    '--archive-passphrase-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_archive_import() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --shares --without-sessions --no-passphrase --weak-ok --version -h --help)
    repeating_options=(--identity --replace)
    non_repeating_options=(--keystore --color --max-work-factor --archive-passphrase-file --archive-passphrase-command --archive-passphrase-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--max-work-factor')
        return
        ;;
    '--archive-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--archive-passphrase-command')
        return
        ;;
    '--archive-passphrase-fd')
        return
        ;;
    '--replace')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion archive import -- --replace "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    *)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_archive_check() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --shares --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --max-work-factor --archive-passphrase-file --archive-passphrase-command --archive-passphrase-fd --passphrase-file --passphrase-command --passphrase-fd --metrics-file --alias --ping-url-file)
    __keytool_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--max-work-factor')
        return
        ;;
    '--archive-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--archive-passphrase-command')
        return
        ;;
    '--archive-passphrase-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    '--metrics-file')
        __keytool_add_completions -f
        return
        ;;
    '--alias')
        return
        ;;
    '--ping-url-file')
        __keytool_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    *)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_archive_list() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --shares --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --max-work-factor --archive-passphrase-file --archive-passphrase-command --archive-passphrase-fd)
    __keytool_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--max-work-factor')
        return
        ;;
    '--archive-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--archive-passphrase-command')
        return
        ;;
    '--archive-passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    *)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_doctor() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_telegram() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    import|list|show|protect|passwd|unprotect|verify|export|mark-lost)
        # Offer subcommand argument completions
        "_keytool_telegram_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'import list show protect passwd unprotect verify export mark-lost' -- "${cur}"))
        ;;
    esac
}

_keytool_telegram_import() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --check --no-passphrase --weak-ok --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --dc --telegram-passcode-file --telegram-passcode-command --telegram-passcode-fd --file-passphrase-file --file-passphrase-command --file-passphrase-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--dc')
        return
        ;;
    '--telegram-passcode-file')
        __keytool_add_completions -f
        return
        ;;
    '--telegram-passcode-command')
        return
        ;;
    '--telegram-passcode-fd')
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_telegram_list() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_telegram_show() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --reveal-private-key --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion telegram show -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_telegram_protect() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --weak-ok --version -h --help)
    repeating_options=(--recipient --identity)
    non_repeating_options=(--keystore --color --output -o --new-file-passphrase-file --new-file-passphrase-command --new-file-passphrase-fd --file-passphrase-file --file-passphrase-command --file-passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--new-file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--new-file-passphrase-command')
        return
        ;;
    '--new-file-passphrase-fd')
        return
        ;;
    '--recipient')
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_telegram_passwd() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --weak-ok --version -h --help)
    repeating_options=(--recipient --identity)
    non_repeating_options=(--keystore --color --new-file-passphrase-file --new-file-passphrase-command --new-file-passphrase-fd --file-passphrase-file --file-passphrase-command --file-passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--new-file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--new-file-passphrase-command')
        return
        ;;
    '--new-file-passphrase-fd')
        return
        ;;
    '--recipient')
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_telegram_unprotect() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --yes --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --output -o --dc --file-passphrase-file --file-passphrase-command --file-passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--dc')
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_telegram_verify() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --file-passphrase-file --file-passphrase-command --file-passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_telegram_export() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --reveal-private-key --weak-ok --version -h --help)
    repeating_options=(--recipient)
    non_repeating_options=(--keystore --color --output -o --format --file-passphrase-file --file-passphrase-command --file-passphrase-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--format')
        __keytool_add_completions -W 'age'$'\n''telethon'$'\n''pyrogram'$'\n''telethon-text'$'\n''pyrogram-text'
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--recipient')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion telegram export -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_telegram_mark-lost() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_textsecure() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    init|list|show|fingerprint|prekeys|refill-prekeys|export|import|verify|import-client)
        # Offer subcommand argument completions
        "_keytool_textsecure_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'init list show fingerprint prekeys refill-prekeys export import verify import-client' -- "${cur}"))
        ;;
    esac
}

_keytool_textsecure_init() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --no-passphrase --weak-ok --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --number --server --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--number')
        __keytool_add_completions -W ''
        return
        ;;
    '--server')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_textsecure_list() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_textsecure_show() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --reveal-private-key --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion textsecure show -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_textsecure_fingerprint() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --peer --peer-key --compare --mode --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--peer')
        __keytool_add_completions -W ''
        return
        ;;
    '--peer-key')
        return
        ;;
    '--compare')
        return
        ;;
    '--mode')
        __keytool_add_completions -W 'auto'$'\n''utf8'$'\n''blocks'$'\n''ascii'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion textsecure fingerprint -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_textsecure_prekeys() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion textsecure prekeys -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_textsecure_refill-prekeys() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --size --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--size')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion textsecure refill-prekeys -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_textsecure_export() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --weak-ok --version -h --help)
    repeating_options=(--recipient)
    non_repeating_options=(--keystore --color --output -o --file-passphrase-file --file-passphrase-command --file-passphrase-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--recipient')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion textsecure export -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_textsecure_import() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --no-passphrase --weak-ok --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --file-passphrase-file --file-passphrase-command --file-passphrase-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_textsecure_verify() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --file-passphrase-file --file-passphrase-command --file-passphrase-fd --client-password-file --client-password-command --client-password-fd --attachment-key-file --attachment-key-command --attachment-key-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--client-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--client-password-command')
        return
        ;;
    '--client-password-fd')
        return
        ;;
    '--attachment-key-file')
        __keytool_add_completions -f
        return
        ;;
    '--attachment-key-command')
        return
        ;;
    '--attachment-key-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_textsecure_import-client() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --weak-ok --version -h --help)
    repeating_options=(--recipient)
    non_repeating_options=(--keystore --color --output -o --client-password-file --client-password-command --client-password-fd --file-passphrase-file --file-passphrase-command --file-passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--client-password-file')
        __keytool_add_completions -f
        return
        ;;
    '--client-password-command')
        return
        ;;
    '--client-password-fd')
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--recipient')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_mainkey() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    init|status|protect|remove|passwd|unlock|lock|timeout|import|export|open-value|seal-value|rewrap-value|verify|wipe)
        # Offer subcommand argument completions
        "_keytool_mainkey_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'init status protect remove passwd unlock lock timeout import export open-value seal-value rewrap-value verify wipe' -- "${cur}"))
        ;;
    esac
}

_keytool_mainkey_init() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --another --no-pin --no-passphrase --weak-ok --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --pin-file --pin-command --pin-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--pin-command')
        return
        ;;
    '--pin-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_mainkey_status() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion mainkey status -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_mainkey_protect() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --replace --yes --weak-ok --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --id --new-pin-file --new-pin-command --new-pin-fd --pin-file --pin-command --pin-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--id')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion mainkey protect -- --id "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--new-pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--new-pin-command')
        return
        ;;
    '--new-pin-fd')
        return
        ;;
    '--pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--pin-command')
        return
        ;;
    '--pin-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W 'pin'$'\n''key'$'\n''none'
        return
        ;;
    esac
}

_keytool_mainkey_remove() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --yes --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --id --pin-file --pin-command --pin-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--id')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion mainkey remove -- --id "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--pin-command')
        return
        ;;
    '--pin-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W 'pin'$'\n''key'$'\n''none'
        return
        ;;
    esac
}

_keytool_mainkey_passwd() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --weak-ok --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --new-pin-file --new-pin-command --new-pin-fd --pin-file --pin-command --pin-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--new-pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--new-pin-command')
        return
        ;;
    '--new-pin-fd')
        return
        ;;
    '--pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--pin-command')
        return
        ;;
    '--pin-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion mainkey passwd -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_mainkey_unlock() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --for --pin-file --pin-command --pin-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--for')
        return
        ;;
    '--pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--pin-command')
        return
        ;;
    '--pin-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion mainkey unlock -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_mainkey_lock() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion mainkey lock -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_mainkey_timeout() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    2)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion mainkey timeout -- positional@1 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_mainkey_import() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --check --no-pin --yes --no-passphrase --weak-ok --version -h --help)
    repeating_options=(--recipient --identity)
    non_repeating_options=(--keystore --color --proof --file-passphrase-file --file-passphrase-command --file-passphrase-fd --pin-file --pin-command --pin-fd --new-pin-file --new-pin-command --new-pin-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--proof')
        __keytool_add_completions -f
        return
        ;;
    '--recipient')
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--pin-command')
        return
        ;;
    '--pin-fd')
        return
        ;;
    '--new-pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--new-pin-command')
        return
        ;;
    '--new-pin-fd')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_mainkey_export() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --reveal-private-key --weak-ok --version -h --help)
    repeating_options=(--recipient --identity)
    non_repeating_options=(--keystore --color --output -o --format --file-passphrase-file --file-passphrase-command --file-passphrase-fd --new-pin-file --new-pin-command --new-pin-fd --pin-file --pin-command --pin-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--format')
        __keytool_add_completions -W 'age'$'\n''v1'
        return
        ;;
    '--recipient')
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--new-pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--new-pin-command')
        return
        ;;
    '--new-pin-fd')
        return
        ;;
    '--pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--pin-command')
        return
        ;;
    '--pin-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion mainkey export -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_mainkey_open-value() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --output -o --name --id --pin-file --pin-command --pin-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--name')
        return
        ;;
    '--id')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion mainkey open-value -- --id "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--pin-command')
        return
        ;;
    '--pin-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_mainkey_seal-value() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --output -o --format --type --name --id --pin-file --pin-command --pin-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--format')
        __keytool_add_completions -W 'ktl2'$'\n''v1'
        return
        ;;
    '--type')
        __keytool_add_completions -W 'string'$'\n''data'$'\n''list'
        return
        ;;
    '--name')
        return
        ;;
    '--id')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion mainkey seal-value -- --id "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--pin-command')
        return
        ;;
    '--pin-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_mainkey_rewrap-value() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --output -o --type --name --id --pin-file --pin-command --pin-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--type')
        __keytool_add_completions -W 'string'$'\n''data'$'\n''list'
        return
        ;;
    '--name')
        return
        ;;
    '--id')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion mainkey rewrap-value -- --id "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--pin-command')
        return
        ;;
    '--pin-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_mainkey_verify() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --file-passphrase-file --file-passphrase-command --file-passphrase-fd --pin-file --pin-command --pin-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--pin-file')
        __keytool_add_completions -f
        return
        ;;
    '--pin-command')
        return
        ;;
    '--pin-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_mainkey_wipe() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --yes --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion mainkey wipe -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_sophaxchat() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    init|import|export|list|show|verify|split|join|show-prekeys|refill-prekeys|rotate-prekeys|export-bundle|safety|verify-peer|open-backup)
        # Offer subcommand argument completions
        "_keytool_sophaxchat_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'init import export list show verify split join show-prekeys refill-prekeys rotate-prekeys export-bundle safety verify-peer open-backup' -- "${cur}"))
        ;;
    esac
}

_keytool_sophaxchat_init() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --another --no-passphrase --weak-ok --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --username --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--username')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_sophaxchat_import() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --another --no-passphrase --weak-ok --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --expect-id --file-passphrase-file --file-passphrase-command --file-passphrase-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--expect-id')
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_sophaxchat_export() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --sxid --without-prekeys --weak-ok --version -h --help)
    repeating_options=(--recipient)
    non_repeating_options=(--keystore --color --output -o --file-passphrase-file --file-passphrase-command --file-passphrase-fd --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--recipient')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion sophaxchat export -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_sophaxchat_list() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac
}

_keytool_sophaxchat_show() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion sophaxchat show -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_sophaxchat_verify() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=(--identity)
    non_repeating_options=(--keystore --color --file-passphrase-file --file-passphrase-command --file-passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    '--identity')
        __keytool_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_sophaxchat_split() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color -m -n --output -o --qr --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '-m')
        return
        ;;
    '-n')
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--qr')
        __keytool_add_completions -W 'png'$'\n''svg'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion sophaxchat split -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_sophaxchat_join() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --check --another --no-passphrase --weak-ok --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --expect-id --username --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--expect-id')
        return
        ;;
    '--username')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_sophaxchat_show-prekeys() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion sophaxchat show-prekeys -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_sophaxchat_refill-prekeys() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion sophaxchat refill-prekeys -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_sophaxchat_rotate-prekeys() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --if-due --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion sophaxchat rotate-prekeys -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_sophaxchat_export-bundle() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --output -o --one-time --address --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--one-time')
        return
        ;;
    '--address')
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion sophaxchat export-bundle -- positional@0 "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_keytool_sophaxchat_safety() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --old --qr --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --id --mode --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--id')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion sophaxchat safety -- --id "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--mode')
        __keytool_add_completions -W 'auto'$'\n''utf8'$'\n''blocks'$'\n''ascii'
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_sophaxchat_verify-peer() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --number --id --passphrase-file --passphrase-command --passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--number')
        return
        ;;
    '--id')
        __keytool_add_completions -W "$(__keytool_custom_complete ---completion sophaxchat verify-peer -- --id "${COMP_CWORD}" "$(__keytool_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--passphrase-command')
        return
        ;;
    '--passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_sophaxchat_open-backup() {
    repeating_flags=()
    non_repeating_flags=(--quiet -q --verbose -v --json --no-input --force --version -h --help)
    repeating_options=()
    non_repeating_options=(--keystore --color --output -o --file-passphrase-file --file-passphrase-command --file-passphrase-fd)
    __keytool_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--keystore')
        __keytool_add_completions -d
        return
        ;;
    '--color')
        __keytool_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--output'|'-o')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-file')
        __keytool_add_completions -f
        return
        ;;
    '--file-passphrase-command')
        return
        ;;
    '--file-passphrase-fd')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __keytool_add_completions -f
        return
        ;;
    esac
}

_keytool_help() {
    repeating_flags=()
    non_repeating_flags=(--version)
    repeating_options=()
    non_repeating_options=()
    __keytool_offer_flags_options -1
}

complete -F _keytool keytool
