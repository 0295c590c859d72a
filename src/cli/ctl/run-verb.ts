import { type Command, Option } from 'commander'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import type { ServiceTypes } from '../../contract/contract.ts'
import { requireInteger, UsageError, unknownName } from '../../validation/usage-error.ts'
import { printable, printableLines, tableWithHeader, toJsonLine } from '../terminal.ts'
import { type FoundAddress, findAddress, withOrigin } from './find-address.ts'

/** Verbs by their names. */
export type Verbs = Readonly<Record<string, Verb>>

/** A verb of `ctl`: how it is written and described, and what it does with the sandbox. */
interface Verb {
  readonly description: string
  /** What follows the name in the help, where that is more than arguments and options. */
  readonly usage?: string
  /** The descriptions of the arguments, such as `<name>`, `[file]` and `<values...>`. */
  readonly arguments?: Readonly<Record<string, string>>
  readonly options?: readonly Option[]
  /** Whether an argument with a minus sign is a value and not an option. */
  readonly takesNegative?: true
  /** The verbs that can follow the name. */
  readonly verbs?: Verbs
  /** Reads the arguments and the options, and returns what to do with the sandbox. Its errors are those of wrong usage. */
  run(...given: unknown[]): VerbAction | Promise<VerbAction>
}

/** What a verb does with the sandbox. Without a result, it has printed one itself. */
export type VerbAction = (client: SandboxClient) => Promise<VerbResult | undefined>

/** The output of a verb. */
export interface VerbResult {
  /** The value that `--json` prints. */
  readonly value: unknown
  /** The lines for people, without control characters. */
  readonly lines: readonly string[]
  /** Whether the target does not exist. The exit code is then 1. */
  readonly isMissing?: boolean
}

/** Adds verbs to a command. */
export function addVerbs(parent: Command, verbs: Verbs): void {
  for (const [name, verb] of Object.entries(verbs)) {
    const { description, usage, options = [], takesNegative = false, verbs: below = {} } = verb
    const command = parent.command(name).description(description)
    const given = Object.entries(verb.arguments ?? {})
    for (const [argument, text] of given) command.argument(argument, text)
    for (const option of options) command.addOption(option)
    if (usage !== undefined) command.usage(usage)
    if (takesNegative) command.allowUnknownOption()
    addVerbs(command, below)
    const isGroup = given.length === 0 && command.commands.length > 0
    command.allowExcessArguments(isGroup).action(async (...given) => {
      if (isGroup) rejectUnknownVerb(command.args, Object.keys(below))
      await runVerb(command, await verb.run(...given))
    })
  }
}

/** Throws a UsageError if there is a word: commander has already run the known verbs. */
function rejectUnknownVerb([word]: readonly string[], known: readonly string[]): void {
  if (word === undefined) return
  throw new UsageError({
    code: 'unknown_verb',
    task: 'run the command',
    ...unknownName('command', word, known),
  })
}

/** The options of every verb. */
interface Options {
  readonly url?: string
  readonly config?: string
  readonly token?: string
  readonly world?: string
  readonly json?: boolean
}

/** Adds the options that say which sandbox a command is for, besides its address. `world` and `json` say what these do. */
export function addSandboxOptions(
  command: Command,
  { world, json }: { readonly world: string; readonly json: string },
): Command {
  return command
    .addOption(
      new Option('--token <token>', 'control token, required from other machines').env(
        'PET_SANDBOX_CONTROL_TOKEN',
      ),
    )
    .option(
      '--config <file>',
      'file with host and port (default: pet-sandbox.config.yaml, .yml or .json)',
    )
    .option('--world <name>', `${world} (default: the default world)`)
    .option('--json', json)
}

/** How the address of a sandbox is described, as an argument or an option. */
export const ADDRESS_TEXT =
  'address of the sandbox (default: PET_SANDBOX_URL, otherwise the host and port of "serve")'

/** The exit code when the sandbox refuses a command or cannot be reached. */
const FAILED = 1

/**
 * Does something with the sandbox that the options name, else at the address `given`, and prints the result. A UsageError of the sandbox
 * is printed here: the usage of the command line itself was right.
 */
export async function runVerb(command: Command, action: VerbAction, given?: string): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { url = given, config, json } = options
  const address = url ? { url } : await findAddress(config)
  const client = await openClient(address, options)
  try {
    const result = await action(client)
    if (!result) return
    const { value, lines, isMissing = false } = result
    const output = json ? [toJsonLine(value)] : lines
    process.stdout.write(output.map((line) => `${line}\n`).join(''))
    if (isMissing) process.exitCode = FAILED
  } catch (error) {
    const located = withOrigin(error, address)
    if (!(located instanceof UsageError)) throw error
    process.stderr.write(`pet-sandbox: ${printableLines(located.message)}\n`)
    process.exitCode = FAILED
  }
}

/** The client of the sandbox at the address. Throws a UsageError for invalid options. */
async function openClient(
  address: FoundAddress,
  { token, world }: Options,
): Promise<SandboxClient> {
  // Loaded here, because no other command needs it.
  const { createClient } = await import('../../client/client.ts')
  try {
    // An empty environment variable counts as unset.
    return createClient<ServiceTypes>(address.url, {
      ...(token && { token }),
      ...(world !== undefined && { world }),
    })
  } catch (error) {
    throw withOrigin(error, address)
  }
}

/** Shows a result after a change. */
export function changing(
  change: (client: SandboxClient) => Promise<unknown>,
  show: VerbAction,
): VerbAction {
  return async (client) => {
    await change(client)
    return show(client)
  }
}

/** Columns of a table by their headers. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => unknown>>

/** Shows a list as a table; without items, the text `ifEmpty`. */
export function listing<Item>(
  load: (client: SandboxClient) => Promise<readonly Item[]>,
  columns: Columns<Item>,
  ifEmpty: string,
): (client: SandboxClient) => Promise<VerbResult> {
  return async (client) => {
    const items = await load(client)
    return { value: items, lines: tableOf(items, Object.entries(columns), ifEmpty) }
  }
}

/** The lines of a table; without items, the text `ifEmpty`. */
export function tableOf<Item>(
  items: readonly Item[],
  columns: readonly (readonly [header: string, cellOf: (item: Item) => unknown])[],
  ifEmpty: string,
): readonly string[] {
  if (items.length === 0) return [ifEmpty]
  const header = columns.map(([name]) => name)
  const rows = items.map((item) => columns.map(([, cellOf]) => toCell(cellOf(item))))
  return tableWithHeader([header, ...rows])
}

function toCell(value: unknown): string {
  if (value === undefined) return ''
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}

/** An option for an integer ≥ `min`. Its parser throws a UsageError that names the option. */
export function integerOption(flags: string, description: string, min: number): Option {
  const [name = ''] = flags.split(' ')
  return new Option(flags, description).argParser((text) => toInteger(name, text, min))
}

/** Parses an integer ≥ `min`. Throws a UsageError that names the option. */
export function toInteger(name: string, text: string, min: number): number {
  return requireInteger(name, /^\d+$/.test(text) ? Number(text) : text, min)
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
