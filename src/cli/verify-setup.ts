import { resolve } from 'node:path'
import type { Command } from 'commander'
import { isObject } from '../validation/objects.ts'
import { refuseUnknown, UsageError } from '../validation/usage-error.ts'
import type { VerifyOptions } from '../verify/session/options.ts'
import { importModule, type ModuleContent, shownFile, unusable } from './import-module.ts'
import { spawnLine } from './spawn-command.ts'

/** The options of the command line for what happens before and after a run. */
export interface SetupFlags {
  readonly before?: string
  readonly after?: string
  readonly setup?: string
}

/** Adds the options for what happens before and after a run. */
export function addSetupOptions(command: Command): Command {
  return command
    .option(
      '--before <command>',
      'run a command of the shell before the first request, such as one that starts the service',
    )
    .option('--after <command>', 'run a command of the shell at the end, also after Ctrl+C')
    .option(
      '--setup <file>',
      'module with setUp, tearDown, and states, which prepare what operations need',
    )
}

/** The values of a run that `setUp` returns. */
export type SetupValues = Pick<VerifyOptions, 'key' | 'otherKey' | 'headers' | 'data' | 'requests'>

/** What the functions of a module get. */
interface SetupContext {
  /** The base address of the service. */
  readonly target: string
}

type SetupFunction = (context: SetupContext) => unknown

/** The default export of a module. */
interface SetupModule {
  readonly setUp?: SetupFunction
  readonly tearDown?: SetupFunction
  readonly states?: Readonly<Record<string, SetupFunction>>
}

/**
 * Runs the command of `--before` and `setUp`, then `run` with what they prepared, and at the end, whatever happened, `tearDown` and
 * the command of `--after`. Rejects with a UsageError when one of them fails.
 */
export async function withSetup(
  target: string,
  { before, after, setup }: SetupFlags,
  signal: AbortSignal,
  run: (prepared: SetupValues & Pick<VerifyOptions, 'states'>) => Promise<void>,
): Promise<void> {
  const context: SetupContext = { target }
  try {
    if (before !== undefined) await runLine('--before', before, context, signal)
    const module = setup === undefined ? {} : await loadSetup(setup)
    try {
      const values = await call(module.setUp, 'setUp', context, setup)
      await run({ ...requireValues(values), ...statesOf(module, context) })
    } finally {
      await call(module.tearDown, 'tearDown', context, setup)
    }
  } finally {
    if (after !== undefined) await runLine('--after', after, context)
  }
}

/** A command that a signal ended together with the run did not fail. */
async function runLine(
  option: string,
  line: string,
  { target }: SetupContext,
  signal?: AbortSignal,
): Promise<void> {
  const code = await spawnLine(line, { ...process.env, PET_SANDBOX_TARGET: target })
  if (code === 0 || signal?.aborted) return
  throw new UsageError({
    code: 'command_failed',
    task: `run the command of ${option}`,
    reason: `it ended with exit code ${code}`,
    help: `It was: ${line}`,
  })
}

const CONTENT: ModuleContent = { what: 'the setup', code: 'unusable_setup' }
const NAMES = ['setUp', 'tearDown', 'states']

async function loadSetup(file: string): Promise<SetupModule> {
  const module = await importModule(resolve(file), CONTENT)
  const setup: unknown = isObject(module) ? Reflect.get(module, 'default') : undefined
  if (isSetup(setup)) return setup
  throw unusable(file, CONTENT, {
    reason: 'it has no default export with setUp, tearDown or states',
    help: 'Write: export default { async setUp({ target }) { … } }.',
  })
}

function isSetup(value: unknown): value is SetupModule {
  if (!isObject(value) || !Object.keys(value).every((name) => NAMES.includes(name))) return false
  const { states = {}, ...functions } = value
  const isWhole = isObject(states) && Object.values(states).every(isFunction)
  return isWhole && Object.values(functions).every(isFunction)
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

async function call(
  one: SetupFunction | undefined,
  name: string,
  context: SetupContext,
  file = '',
): Promise<unknown> {
  try {
    return await one?.(context)
  } catch (error) {
    throw new UsageError({
      code: 'unusable_setup',
      task: `run ${name} of ${shownFile(resolve(file))}`,
      reason: error instanceof Error ? error.message : String(error),
      cause: error,
    })
  }
}

const VALUES = ['key', 'otherKey', 'headers', 'data', 'requests']

function requireValues(values: unknown): SetupValues {
  if (values === undefined) return {}
  if (isValues(values)) {
    refuseUnknown('setUp', values, VALUES)
    return values
  }
  throw new UsageError({
    code: 'unusable_setup',
    task: 'use what setUp returned',
    reason: 'it must be an object',
    help: 'Write it as { key: …, data: { orgs: [{ id: … }] } }.',
  })
}

function isValues(value: unknown): value is SetupValues {
  return isObject(value)
}

function statesOf({ states }: SetupModule, context: SetupContext): Pick<VerifyOptions, 'states'> {
  if (!states) return {}
  return {
    states: Object.fromEntries(
      Object.entries(states).map(([name, state]) => [
        name,
        async () => asGiven(await state(context)),
      ]),
    ),
  }
}

/** The run checks the names of the values. */
function asGiven(value: unknown): object | undefined {
  if (value === undefined || isObject(value)) return value
  throw new Error('it must return an object with parameters or a body')
}
