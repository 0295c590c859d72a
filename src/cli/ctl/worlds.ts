import { readFile, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Health } from '../../control/outputs.ts'
import { listedName, UsageError } from '../../validation/usage-error.ts'
import { behaviourLines } from '../explain.ts'
import { describeSystemError } from '../system-error.ts'
import { printable, toJsonLine } from '../terminal.ts'
import {
  formatTable,
  parseJsonArgument,
  rejectUnknownVerb,
  runVerb,
  type VerbAction,
  type VerbResult,
} from './run-verb.ts'

/** Adds `ctl worlds` and its verbs. */
export function addWorlds(ctl: Command): void {
  const worlds = ctl
    .command('worlds')
    .description('list, fork or delete worlds')
    .usage('[verb]')
    .allowExcessArguments()
    .action((_options: object, command: Command) => {
      rejectUnknownVerb(
        command.args,
        command.commands.map((verb) => verb.name()),
      )
      return runVerb(command, listWorlds)
    })
  worlds
    .command('fork')
    .description('create a world with the state of another world')
    .argument('<name>', 'the name of the new world')
    .option('--from <name>', 'the world to copy', 'default')
    .action((name: string, { from }: { from: string }, command: Command) =>
      runVerb(command, async (client, paint) => {
        await client.world(name, { from })
        return listWorlds(client, paint)
      }),
    )
  worlds
    .command('delete')
    .description('delete a world and its state')
    .argument('<name>', 'the name of the world')
    .action((name: string, _options: object, command: Command) =>
      runVerb(command, async (client) => {
        const deleted = await client.worlds.delete(name)
        const line = printable(deleted ? `World ${name} is deleted.` : `There is no world ${name}.`)
        return { value: { deleted }, lines: [line], isMissing: !deleted }
      }),
    )
}

const listWorlds: VerbAction = async (client, paint) => {
  const worlds = await client.worlds.list()
  const rows = worlds.map(({ name, requests }) => [listedName(name), requests])
  const lines = formatTable(paint, ['WORLD', 'REQUESTS'], rows, 'There are no worlds.')
  const evicted = await client.worlds.dropped()
  if (evicted.length === 0) return { value: worlds, lines }
  const note = `Evicted worlds, because --worlds limits their number: ${printable(evicted.map(listedName).join(', '))}`

  return { value: worlds, lines: [...lines, note] }
}

/** Adds the verbs that reset, save and restore a sandbox. */
export function addLifecycle(ctl: Command): void {
  ctl
    .command('health')
    .description('show the API, the version and the status of the sandbox')
    .action((_options: object, command: Command) =>
      runVerb(command, async (client) => healthResult(await client.health())),
    )
  ctl
    .command('operations')
    .description('show how each operation of the API is answered, and the reason for it')
    .action((_options: object, command: Command) =>
      runVerb(command, async (client, paint) => {
        const operations = await client.operations()
        return { value: operations, lines: behaviourLines(operations, paint) }
      }),
    )
  ctl
    .command('reset')
    .description('restore the initial state: records, quotas, bans, outcomes, clock, journal')
    .action((_options: object, command: Command) =>
      runVerb(command, async (client) => {
        await client.reset()
        return { value: await client.health(), lines: ['The sandbox is reset.'] }
      }),
    )
  ctl
    .command('snapshot')
    .description('save the state of the sandbox')
    .argument('[file]', 'the file to write (default: standard output)')
    .action((file: string | undefined, _options: object, command: Command) =>
      runVerb(command, async (client) => writeJson(file, await client.snapshot())),
    )
  ctl
    .command('restore')
    .description('restore the state from a snapshot')
    .argument('<file>', 'a file that "snapshot" wrote')
    .action(async (file: string, _options: object, command: Command) => {
      const snapshot = parseJsonArgument(await readText(file), file)
      return runVerb(command, async (client) => {
        await client.restore(snapshot)
        return { value: await client.health(), lines: [`The sandbox is restored from ${file}.`] }
      })
    })
}

function healthResult(health: Health): VerbResult {
  const { title, version, basePath, world, status } = health
  return {
    value: health,
    lines: [printable(`${title} ${version}, ${status} at ${basePath}, world ${world}`)],
  }
}

/** Writes the value to the file, or to standard output without a file. */
export async function writeJson(file: string | undefined, value: unknown): Promise<VerbResult> {
  if (file === undefined) return { value, lines: [toJsonLine(value)] }
  try {
    // The value may contain API keys.
    await writeFile(file, `${JSON.stringify(value)}\n`, { mode: 0o600 })
  } catch (cause) {
    throw fileError('write', file, cause)
  }
  return { value: { written: file }, lines: [`Wrote ${file}.`] }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw fileError('read', file, cause)
  }
}

function fileError(verb: 'read' | 'write', file: string, cause: unknown): UsageError {
  const reasons = verb === 'write' ? { ENOENT: 'its folder does not exist' } : {}
  return new UsageError({
    code: 'unusable_file',
    task: `${verb} ${file}`,
    reason: describeSystemError(cause, reasons),
    help: 'Name another file.',
    cause,
  })
}
