import type { Command } from 'commander'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import type { ServiceTypes } from '../../contract/contract.ts'
import { UsageError } from '../../usage-error.ts'
import { type Paint, painter, printable } from '../log.ts'
import { table } from '../table.ts'

/** What a verb tells. */
export interface Report {
  /** For programs, as JSON. */
  readonly value: unknown
  /** For people; none of it steers the terminal. */
  readonly lines: readonly string[]
  /** What it was to be done to is not there. */
  readonly isMissing?: boolean
}

/** What a verb does, and tells of it. */
export type Deed = (client: SandboxClient, paint: Paint) => Promise<Report>

/** The options that every verb has. */
interface Options {
  readonly url: string
  readonly token?: string
  readonly world?: string
  readonly json?: boolean
}

/** Where a sandbox is that was started without a word. */
export const DEFAULT_URL = 'http://127.0.0.1:4010'

/** The sandbox did not do it. */
const FAILED = 1

/** Does it to the sandbox that the options name, and tells what came of it. */
export async function steer(command: Command, deed: Deed): Promise<void> {
  const client = await openClient(command)
  const paint = painter(process.stdout, process.env)
  const report = await orFail(deed(client, paint))
  if (!report) return
  const { value, lines, isMissing = false } = report
  const told = wantsJson(command) ? [toJson(value)] : lines
  process.stdout.write(told.map((line) => `${line}\n`).join(''))
  if (isMissing) process.exitCode = FAILED
}

/** The client of the sandbox that the options name. Throws a UsageError for options that are wrong. */
export async function openClient(command: Command): Promise<SandboxClient> {
  const { url, token, world } = command.optsWithGlobals<Options>()
  // Only who steers loads it.
  const { createClient } = await import('../../client/client.ts')
  // An empty variable of the environment counts as none.
  return createClient<ServiceTypes>(url || DEFAULT_URL, {
    ...(token && { token }),
    ...(world !== undefined && { world }),
  })
}

/** What the sandbox refuses, and a sandbox that is not there, is told in one line; it is no wrong usage. */
export async function orFail<Result>(deed: Promise<Result>): Promise<Result | undefined> {
  try {
    return await deed
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`pet-sandbox: ${error.message}\n`)
    process.exitCode = FAILED
    return undefined
  }
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<Options>().json === true
}

/** One line, of which no character steers a terminal. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (char) => `\\u00${char.charCodeAt(0).toString(16)}`,
  )
}

/** Rows below a head; when there are none, what to say instead. */
export function tabled(
  paint: Paint,
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
  none: string,
): readonly string[] {
  if (rows.length === 0) return [none]
  const [first = '', ...lines] = table([head, ...rows.map((row) => row.map(toCell))])
  return [paint('bold', first), ...lines]
}

function toCell(value: unknown): string {
  if (value === undefined) return ''
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}
