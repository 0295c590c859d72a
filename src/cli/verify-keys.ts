import { type Command, Option } from 'commander'
import type { Contract } from '../contract/contract.ts'
import type { Keys } from '../contract/credentials.ts'
import { setOwn } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { VerifyOptions } from '../verify/session/options.ts'
import { collect } from './setting-options.ts'

/** The options about who sends the requests of `verify`. */
export interface KeyFlags {
  readonly key?: readonly string[]
  readonly otherKey?: readonly string[]
  readonly requestHeader?: readonly string[]
}

export function addKeyOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--key <key>',
        'API key, or user:password; SCHEME=KEY for one security scheme; repeatable',
      )
        .env('PET_SANDBOX_KEY')
        .argParser(collect),
    )
    .addOption(
      new Option(
        '--other-key <key>',
        'key of somebody else, who must not see or change what the run creates; repeatable',
      )
        .env('PET_SANDBOX_OTHER_KEY')
        .argParser(collect),
    )
    .option(
      '--oauth <flow>',
      'client-credentials: get a token with PET_SANDBOX_OAUTH_CLIENT_ID and _SECRET',
    )
    .option('--token-url <url>', 'token endpoint of --oauth (default: that of the document)')
    .option(
      '--request-header <header>',
      "header of every request, as 'X-Tenant: acme'; repeatable",
      collect,
    )
}

/** The keys and headers that are given, for the schemes of a document. Throws a `UsageError` for invalid ones. */
export function readKeyFlags(
  { key, otherKey, requestHeader }: KeyFlags,
  contract: Contract,
): Partial<Pick<VerifyOptions, 'key' | 'otherKey' | 'headers'>> {
  const keys = readKeys(key, contract, '--key')
  const otherKeys = readKeys(otherKey, contract, '--other-key')
  return {
    ...(keys !== undefined && { key: keys }),
    ...(otherKeys !== undefined && { otherKey: otherKeys }),
    ...(requestHeader && { headers: Object.fromEntries(requestHeader.map(readHeader)) }),
  }
}

/** The key of each scheme that `given` names, and that of the others; `undefined` without any. An empty environment variable counts as unset. */
function readKeys(
  given: readonly string[] = [],
  { securitySchemes = [] }: Contract,
  option: string,
): Keys | undefined {
  const keys: Record<string, string> = {}
  for (const text of given.filter((one) => one !== '')) {
    const [name = '', ...rest] = text.split('=')
    const isNamed = rest.length > 0 && securitySchemes.some((one) => one.name === name)
    const scheme = isNamed ? name : ''
    if (Object.hasOwn(keys, scheme)) throw twoKeys(scheme, securitySchemes, option)
    setOwn(keys, scheme, requireSendable(isNamed ? rest.join('=') : text))
  }
  const names = Object.keys(keys)
  if (names.length === 0) return undefined
  return names.length === 1 && names[0] === '' ? keys[''] : keys
}

function twoKeys(
  scheme: string,
  schemes: readonly { readonly name: string }[],
  option: string,
): UsageError {
  const examples = schemes.length === 0 ? ['SCHEME=KEY'] : schemes.map(({ name }) => `${name}=KEY`)
  return new UsageError({
    code: 'invalid_key',
    task: `use the option ${option}`,
    reason:
      scheme === '' ? 'two keys have no name of a scheme' : `the scheme ${scheme} has two keys`,
    help: `Write one for each security scheme: ${examples.join(', ')}.`,
  })
}

function requireSendable(key: string): string {
  if (!/[^\t\x20-\xff]/.test(key)) return key
  throw new UsageError({
    code: 'invalid_key',
    task: 'verify the service',
    reason: 'no HTTP header can carry the key: it has a line end or another character',
    help: 'Give the key as one line of Latin-1 characters.',
  })
}

/** A header as `Name: value`. */
function readHeader(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\xff]*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option --request-header',
    reason: 'the value is not a header',
    help: "Write it as 'X-Tenant: acme'.",
  })
}

/** Throws a `UsageError` when the document requires a key, and none was given. */
export function requireKey({ operations }: Contract, key: Keys | undefined): void {
  if (key !== undefined || operations.every(({ secured }) => !secured)) return
  throw new UsageError({
    code: 'missing_key',
    task: 'verify the service',
    reason: 'the document requires an API key, and none was given',
    help: 'Add --key KEY, or set PET_SANDBOX_KEY.',
  })
}
