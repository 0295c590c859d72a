import type { SandboxClient } from '../../client/sandbox-client.ts'
import type { Contract, ServiceTypes } from '../../contract/contract.ts'
import type { Exchange } from '../../journal/exchange.ts'
import { describeExchangesError } from '../../report/exchange-shape.ts'
import { toReportEntry } from '../../report/from-exchange.ts'
import type { ReportEntry } from '../../report/report-entry.ts'
import { OWN_WORLD } from '../../sandbox/worlds.ts'
import { UsageError, unknownName } from '../../validation/usage-error.ts'
import { checkTitle, type Recorded } from './recorded.ts'

/** Which part of a sandbox that runs is read, and by what right. */
export interface SandboxChoice {
  readonly token?: string
  /** Worlds by name; the one of the address, else the sandbox's own, when left out. */
  readonly world?: readonly string[]
  readonly allWorlds?: boolean
}

/** The journals of a sandbox that runs. Throws a UsageError for what is none, and for worlds that it has not. */
export async function readSandbox(
  url: string,
  contract: Contract,
  { token, world, allWorlds = false }: SandboxChoice,
): Promise<Recorded> {
  const { createClient } = await import('../../client/client.ts')
  const client = createClient<ServiceTypes>(url, { ...(token && { token }) })
  // First of all: a client's first word makes the world that it names.
  const known = (await client.worlds.list()).map(({ name }) => name)
  const named = allWorlds ? known : (world ?? [client.name])
  checkWorlds(url, named, known)
  const worlds = await Promise.all(named.map((name) => client.world(name)))
  for (const one of worlds) checkTitle(url, (await one.health()).title, contract)
  const recordings = await Promise.all(
    worlds.map(async (one) => toRecording(one.name, await exchangesOf(url, one))),
  )

  return { recordings, notices: unnamed(known, named, recordings), plans: await client.plans() }
}

/** A world's exchanges as entries, which tell of a world that is not the sandbox's own. */
export function toRecording(world: string, exchanges: readonly Exchange[]): readonly ReportEntry[] {
  const from = world === OWN_WORLD ? {} : { world }
  return exchanges.map((exchange) => ({ ...toReportEntry(exchange), ...from }))
}

async function exchangesOf(
  url: string,
  { journal, name }: SandboxClient,
): Promise<readonly Exchange[]> {
  const exchanges = await journal.exchanges()
  const fault = describeExchangesError(exchanges)
  if (fault !== undefined) {
    throw new UsageError({
      code: 'invalid_journal',
      task: `report on ${url}`,
      reason: `in its journal, ${fault}`,
      help: 'Use the same version of pet-sandbox on both sides.',
    })
  }
  if (exchanges.length > 0 || (await journal.last()) === 0) return exchanges
  throw new UsageError({
    code: 'no_journal',
    task: `report on ${url}`,
    reason: `the journal of its world ${name} keeps no exchanges`,
    help: 'Start the sandbox with "journal: 10000" in its configuration file.',
  })
}

function checkWorlds(url: string, named: readonly string[], known: readonly string[]): void {
  const missing = named.find((name) => !known.includes(name))
  if (missing === undefined) return
  throw new UsageError({
    code: 'unknown_world',
    task: `report on ${url}`,
    ...unknownName('world', missing, known),
  })
}

/** Who finds nothing may have looked in the wrong place. */
function unnamed(
  known: readonly string[],
  named: readonly string[],
  recordings: readonly (readonly ReportEntry[])[],
): readonly string[] {
  const others = known.filter((name) => !named.includes(name)).length
  if (others === 0 || named.length > 1 || recordings.some(({ length }) => length > 0)) return []
  return [
    `${others} other ${others === 1 ? 'world was' : 'worlds were'} not read: give --all-worlds.`,
  ]
}
