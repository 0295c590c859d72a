import type { Command } from 'commander'
import { listedName } from '../../validation/usage-error.ts'
import { printable } from '../terminal.ts'
import { rejectUnknownVerb } from './parse-args.ts'
import { formatTable, runVerb, type VerbAction } from './run-verb.ts'

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
