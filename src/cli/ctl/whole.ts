import { readFile, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Health } from '../../client/sandbox-client.ts'
import { listedName } from '../../validation/suggestion.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { printable, toJson } from '../log.ts'
import { codeOf, whyOf } from '../state/path.ts'
import { type Deed, type Report, steer, tabled } from './steer.ts'
import { fromJson, refuseVerb } from './words.ts'

/** The verbs for the sandbox as a whole. */
export function addWhole(ctl: Command): void {
  ctl
    .command('health')
    .description('tell how the sandbox is')
    .action((_options: object, command: Command) =>
      steer(command, async (client) => tellHealth(await client.health())),
    )
  ctl
    .command('reset')
    .description('put everything back to how it started')
    .action((_options: object, command: Command) =>
      steer(command, async (client) => {
        await client.reset()
        return { value: await client.health(), lines: ['Everything is as it started.'] }
      }),
    )
  ctl
    .command('snapshot')
    .description('take a snapshot, to be restored later')
    .argument('[file]', 'where to; standard output when left out')
    .action((file: string | undefined, _options: object, command: Command) =>
      steer(command, async (client) => written(file, await client.snapshot())),
    )
  ctl
    .command('restore')
    .description('go back to a snapshot')
    .argument('<file>', 'what "snapshot" wrote')
    .action(async (file: string, _options: object, command: Command) => {
      const snapshot = fromJson(await readText(file), file)
      return steer(command, async (client) => {
        await client.restore(snapshot)
        return { value: await client.health(), lines: [`Everything is as in ${file}.`] }
      })
    })
}

function tellHealth(health: Health): Report {
  const { title, version, basePath, world, status } = health
  return {
    value: health,
    lines: [printable(`${title} ${version}, ${status} at ${basePath}, world ${world}`)],
  }
}

/** Writes to the file, or tells the value itself. */
export async function written(file: string | undefined, value: unknown): Promise<Report> {
  if (file === undefined) return { value, lines: [toJson(value)] }
  try {
    // There may be API keys in it.
    await writeFile(file, `${JSON.stringify(value)}\n`, { mode: 0o600 })
  } catch (cause) {
    throw fileFault('write', file, cause)
  }
  return { value: { written: file }, lines: [`Wrote ${file}.`] }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw fileFault('read', file, cause)
  }
}

function fileFault(deed: 'read' | 'write', file: string, cause: unknown): UsageError {
  const isMissing = deed === 'read' && codeOf(cause) === 'ENOENT'
  const why = isMissing ? 'there is no such file' : whyOf(cause)
  return new UsageError({
    code: 'unusable_file',
    task: `${deed} ${file}`,
    reason: why,
    help: 'Name another file.',
    cause,
  })
}

/** `ctl worlds`, with its verbs. */
export function addWorlds(ctl: Command): void {
  const worlds = ctl
    .command('worlds')
    .description('list the worlds, or make and end them')
    .usage('[verb]')
    .allowExcessArguments()
    .action((_options: object, command: Command) => {
      refuseVerb(
        command.args,
        command.commands.map((verb) => verb.name()),
      )
      return steer(command, tellWorlds)
    })
  worlds
    .command('fork')
    .description('make a world in the present state of another')
    .argument('<name>', 'of the new world')
    .option('--from <name>', 'the other', 'default')
    .action((name: string, { from }: { from: string }, command: Command) =>
      steer(command, async (client, paint) => {
        await client.world(name, { from })
        return tellWorlds(client, paint)
      }),
    )
  worlds
    .command('delete')
    .description('end a world, with all that is in it')
    .argument('<name>', 'of the world')
    .action((name: string, _options: object, command: Command) =>
      steer(command, async (client) => {
        const deleted = await client.worlds.delete(name)
        const line = printable(deleted ? `${name} is no more.` : `There was no world ${name}.`)
        return { value: { deleted }, lines: [line], isMissing: !deleted }
      }),
    )
}

const tellWorlds: Deed = async (client, paint) => {
  const worlds = await client.worlds.list()
  const rows = worlds.map(({ name, requests }) => [listedName(name), requests])
  const lines = tabled(paint, ['WORLD', 'REQUESTS'], rows, 'There are none.')
  const dropped = await client.worlds.dropped()
  if (dropped.length === 0) return { value: worlds, lines }
  const note = `Dropped for newer ones, as --worlds allows no more: ${printable(dropped.map(listedName).join(', '))}`

  return { value: worlds, lines: [...lines, note] }
}
