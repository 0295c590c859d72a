import type { Command } from 'commander'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import type { ServiceTypes } from '../../contract/contract.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { type Paint, painter, printable, printableLines, toJson } from '../log.ts'
import { table } from '../table.ts'
import { type FoundAddress, findAddress, withOrigin } from './find-address.ts'

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
  readonly url?: string
  readonly config?: string
  readonly token?: string
  readonly world?: string
  readonly json?: boolean
}

/** The sandbox did not do it. */
const FAILED = 1

/** Does it to the sandbox that the options name, and tells what came of it. */
export async function steer(command: Command, deed: Deed): Promise<void> {
  const { client, address } = await openClient(command)
  const paint = painter(process.stdout, process.env)
  const report = await orFail(deed(client, paint), address)
  if (!report) return
  const { value, lines, isMissing = false } = report
  const told = wantsJson(command) ? [toJson(value)] : lines
  process.stdout.write(told.map((line) => `${line}\n`).join(''))
  if (isMissing) process.exitCode = FAILED
}

/** A client, and where its sandbox is. */
interface Opened {
  readonly client: SandboxClient
  readonly address: FoundAddress
}

/** The client of the sandbox that the options name. Throws a UsageError for options that are wrong. */
export async function openClient(command: Command): Promise<Opened> {
  const { url, config, token, world } = command.optsWithGlobals<Options>()
  const address = url ? { url } : await findAddress(config)
  // Only who steers loads it.
  const { createClient } = await import('../../client/client.ts')
  try {
    // An empty variable of the environment counts as none.
    const client = createClient<ServiceTypes>(address.url, {
      ...(token && { token }),
      ...(world !== undefined && { world }),
    })
    return { client, address }
  } catch (error) {
    throw withOrigin(error, address)
  }
}

/** What the sandbox refuses, and a sandbox that is not there, is told in one line; it is no wrong usage. */
export async function orFail<Result>(
  deed: Promise<Result>,
  address: FoundAddress,
): Promise<Result | undefined> {
  try {
    return await deed
  } catch (error) {
    const told = withOrigin(error, address)
    if (!(told instanceof UsageError)) throw error
    process.stderr.write(`pet-sandbox: ${printableLines(told.message)}\n`)
    process.exitCode = FAILED
    return undefined
  }
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<Options>().json === true
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
