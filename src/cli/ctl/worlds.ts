import { writeFile } from 'node:fs/promises'
import { Option } from 'commander'
import { listedName } from '../../validation/usage-error.ts'
import { behaviourLines } from '../explain.ts'
import { readText, refusedBySystem } from '../system-error.ts'
import { printable, toJsonLine } from '../terminal.ts'
import {
  changing,
  listing,
  parseJsonArgument,
  type VerbAction,
  type VerbResult,
  type Verbs,
} from './run-verb.ts'

/** `ctl worlds` and its verbs. */
export const worlds: Verbs = {
  worlds: {
    description: 'list, fork or delete worlds',
    usage: '[verb]',
    run: () => listWorlds,
    verbs: {
      fork: {
        description: 'create a world with the state of another world',
        arguments: { '<name>': 'the name of the new world' },
        options: [new Option('--from <name>', 'the world to copy').default('default')],
        run: (name: string, { from }: { readonly from: string }) =>
          changing((client) => client.world(name, { from }), listWorlds),
      },
      delete: {
        description: 'delete a world and its state',
        arguments: { '<name>': 'the name of the world' },
        run: (name: string) => async (client) => {
          const deleted = await client.worlds.delete(name)
          const line = deleted ? `World ${name} is deleted.` : `There is no world ${name}.`
          return { value: { deleted }, lines: [printable(line)], isMissing: !deleted }
        },
      },
    },
  },
}

const listNames = listing(
  (client) => client.worlds.list(),
  { WORLD: ({ name }) => listedName(name), REQUESTS: ({ requests }) => requests },
  'There are no worlds.',
)

const listWorlds: VerbAction = async (client) => {
  const { value, lines } = await listNames(client)
  const evicted = await client.worlds.dropped()
  if (evicted.length === 0) return { value, lines }
  const names = printable(evicted.map(listedName).join(', '))
  const note = `Evicted worlds, because --worlds limits their number: ${names}`

  return { value, lines: [...lines, note] }
}

/** The verbs that reset, save and restore a sandbox. */
export const lifecycle: Verbs = {
  health: {
    description: 'show the API, the version and the status of the sandbox',
    run: () => async (client) => {
      const health = await client.health()
      const { title, version, basePath, world, status } = health
      const line = `${title} ${version}, ${status} at ${basePath}, world ${world}`
      return { value: health, lines: [printable(line)] }
    },
  },
  operations: {
    description: 'show how each operation of the API is answered, and the reason for it',
    run: () => async (client) => {
      const operations = await client.operations()
      return { value: operations, lines: behaviourLines(operations) }
    },
  },
  reset: {
    description: 'restore the initial state: records, quotas, bans, outcomes, clock, journal',
    run: () => async (client) => {
      await client.reset()
      return { value: await client.health(), lines: ['The sandbox is reset.'] }
    },
  },
  snapshot: {
    description: 'save the state of the sandbox',
    arguments: { '[file]': 'the file to write (default: standard output)' },
    run: (file: string | undefined) => async (client) => writeJson(file, await client.snapshot()),
  },
  restore: {
    description: 'restore the state from a snapshot',
    arguments: { '<file>': 'a file that "snapshot" wrote' },
    run: async (file: string) => {
      const text = await readText(file, { ...UNUSABLE, task: `read ${file}` })
      const snapshot = parseJsonArgument(text, file)
      return async (client) => {
        await client.restore(snapshot)
        return { value: await client.health(), lines: [`The sandbox is restored from ${file}.`] }
      }
    },
  },
}

/** Writes the value to the file, or to standard output without a file. */
export async function writeJson(file: string | undefined, value: unknown): Promise<VerbResult> {
  if (file === undefined) return { value, lines: [toJsonLine(value)] }
  // The value may contain API keys.
  await writeFile(file, `${JSON.stringify(value)}\n`, { mode: 0o600 }).catch((cause: unknown) => {
    const reasons = { ENOENT: 'its folder does not exist' }
    throw refusedBySystem(cause, { ...UNUSABLE, task: `write ${file}`, reasons })
  })
  return { value: { written: file }, lines: [`Wrote ${file}.`] }
}

const UNUSABLE = { code: 'unusable_file', help: 'Name another file.' } as const
