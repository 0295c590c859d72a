import type { Command } from 'commander'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import type { ServiceTypes } from '../../contract/contract.ts'
import { requireInteger, UsageError, unknownName } from '../../validation/usage-error.ts'
import { type Paint, painter, printable, printableLines, table, toJsonLine } from '../terminal.ts'
import { type FoundAddress, findAddress, withOrigin } from './find-address.ts'

/** The output of a verb. */
export interface VerbResult {
  /** The value that `--json` prints. */
  readonly value: unknown
  /** The lines for people, without control characters. */
  readonly lines: readonly string[]
  /** Whether the target does not exist. The exit code is then 1. */
  readonly isMissing?: boolean
}

/** What a verb does with the sandbox. */
export type VerbAction = (client: SandboxClient, paint: Paint) => Promise<VerbResult>

/** The options of every verb. */
interface Options {
  readonly url?: string
  readonly config?: string
  readonly token?: string
  readonly world?: string
  readonly json?: boolean
}

/** The exit code when the sandbox refuses a command or cannot be reached. */
const FAILED = 1

/** Runs a verb on the sandbox that the options name, and prints its result. */
export async function runVerb(command: Command, action: VerbAction): Promise<void> {
  const { client, address } = await openClient(command)
  const paint = painter(process.stdout, process.env)
  const result = await orPrintFailure(action(client, paint), address)
  if (!result) return
  const { value, lines, isMissing = false } = result
  const output = wantsJson(command) ? [toJsonLine(value)] : lines
  process.stdout.write(output.map((line) => `${line}\n`).join(''))
  if (isMissing) process.exitCode = FAILED
}

/** A client, and the address of its sandbox. */
interface OpenedClient {
  readonly client: SandboxClient
  readonly address: FoundAddress
}

/** The client of the sandbox that the options name. Throws a UsageError for invalid options. */
export async function openClient(command: Command): Promise<OpenedClient> {
  const { url, config, token, world } = command.optsWithGlobals<Options>()
  const address = url ? { url } : await findAddress(config)
  // Loaded here, because no other command needs it.
  const { createClient } = await import('../../client/client.ts')
  try {
    // An empty environment variable counts as unset.
    const client = createClient<ServiceTypes>(address.url, {
      ...(token && { token }),
      ...(world !== undefined && { world }),
    })
    return { client, address }
  } catch (error) {
    throw withOrigin(error, address)
  }
}

/** Prints the UsageError of a request and sets the exit code 1; the usage of the command line itself was right. */
export async function orPrintFailure<Result>(
  request: Promise<Result>,
  address: FoundAddress,
): Promise<Result | undefined> {
  try {
    return await request
  } catch (error) {
    const located = withOrigin(error, address)
    if (!(located instanceof UsageError)) throw error
    process.stderr.write(`pet-sandbox: ${printableLines(located.message)}\n`)
    process.exitCode = FAILED
    return undefined
  }
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<Options>().json === true
}

/** The lines of a table with a header; without rows, the text `ifEmpty`. */
export function formatTable(
  paint: Paint,
  header: readonly string[],
  rows: readonly (readonly unknown[])[],
  ifEmpty: string,
): readonly string[] {
  if (rows.length === 0) return [ifEmpty]
  const [first = '', ...lines] = table([header, ...rows.map((row) => row.map(toCell))])
  return [paint('bold', first), ...lines]
}

function toCell(value: unknown): string {
  if (value === undefined) return ''
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Parses an integer ≥ `min`. Throws a UsageError that names the option. */
export function toInteger(name: string, min: number): (text: string) => number {
  return (text) => requireInteger(name, /^\d+$/.test(text) ? Number(text) : text, min)
}

/** Parses a number > 0 and ≤ 1. Throws a UsageError for other text. */
export function toShare(text: string): number {
  const share = text.trim() === '' ? Number.NaN : Number(text)
  if (share > 0 && share <= 1) return share
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option --probability',
    reason: `it must be a number > 0 and ≤ 1 (got "${text}")`,
  })
}

/** Parses `name=value`. Throws a UsageError for other text. */
export function parsePair(word: string): readonly [name: string, value: string] {
  const at = word.indexOf('=')
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
  throw new UsageError({
    code: 'invalid_value',
    task: `use "${word}" as a value`,
    reason: 'it is not in the form NAME=VALUE',
    help: 'Write it as status=sold.',
  })
}

/** Parses the values of a record: one JSON object, or pairs. The value of a pair is JSON if it is valid JSON, otherwise text. */
export function parseValues(words: readonly string[]): Record<string, unknown> {
  const [first = ''] = words
  if (words.length === 1 && first.trimStart().startsWith('{'))
    return parseJsonArgument(first, 'the values')
  return Object.fromEntries(words.map(parsePair).map(([name, text]) => [name, jsonOrText(text)]))
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Parses JSON. Throws a UsageError for invalid JSON. */
export function parseJsonArgument(text: string, what: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError({
      code: 'invalid_json',
      task: `read ${what}`,
      reason: `the text is not valid JSON (${why})`,
      help: 'Correct the text.',
      cause,
    })
  }
}

/** Throws a UsageError if there is a word: commander has already run the known verbs. */
export function rejectUnknownVerb([word]: readonly string[], known: readonly string[]): void {
  if (word === undefined) return
  throw new UsageError({
    code: 'unknown_verb',
    task: 'run the command',
    ...unknownName('command', word, known),
  })
}
