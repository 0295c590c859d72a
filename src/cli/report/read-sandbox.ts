import { readAddress } from '../../client/address.ts'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import type { Contract } from '../../contract/contract.ts'
import type { ServiceTypes } from '../../contract/service-types.ts'
import { contract as shippedContract } from '../../generated/contract.ts'
import { CONTROL_PATH } from '../../http/paths.ts'
import type { Exchange } from '../../journal/exchange.ts'
import { describeExchangesError } from '../../report/json-shape.ts'
import { type ReportEntry, toReportEntry } from '../../report/report-entry.ts'
import { OWN_WORLD } from '../../sandbox/worlds.ts'
import { UsageError, unknownName } from '../../validation/usage-error.ts'
import { type RecordedTraffic, rejectOtherApi } from './recorded-traffic.ts'

/** The worlds of a running sandbox to read, and the token to read them. */
export interface SandboxSelection {
  readonly token?: string
  /** The names of the worlds. Default: the world in the address, otherwise the default world. */
  readonly world?: readonly string[]
  readonly allWorlds?: boolean
}

/** Reads the journals of a running sandbox. Throws a UsageError when there is no sandbox or no such world. */
export async function readSandbox(
  url: string,
  contract: Contract,
  { token, world, allWorlds = false }: SandboxSelection,
): Promise<RecordedTraffic> {
  const { createClient } = await import('../../client/client.ts')
  const client = createClient<ServiceTypes>(url, { ...(token && { token }) })
  // First, because a client creates its world with the first request.
  const known = (await client.worlds.list()).map(({ name }) => name)
  const named = allWorlds ? known : (world ?? [client.name])
  checkWorlds(url, named, known)
  const worlds = await Promise.all(named.map((name) => client.world(name)))
  for (const one of worlds) rejectOtherApi(url, (await one.health()).title, contract)
  const recordings = await Promise.all(
    worlds.map(async (one) => toRecording(one.name, await exchangesOf(url, one), contract)),
  )

  return {
    recordings,
    notices: unreadWorlds(known, named, recordings),
    plans: await client.plans(),
  }
}

/** The address of the document of the first source that is a sandbox of another API than the shipped one; `undefined` without one. */
export async function servedDocument(
  sources: readonly string[],
  { token }: Pick<SandboxSelection, 'token'>,
): Promise<string | undefined> {
  const url = sources.find(isAddress)
  if (url === undefined) return undefined
  const { createClient } = await import('../../client/client.ts')
  // What is wrong with the address is told when its journal is read.
  const { site } = readAddress(url)
  // Without a world, which a request to it would create.
  const health = await createClient(site, { ...(token && { token }) })
    .health()
    .catch(() => undefined)
  if (health === undefined || health.title === shippedContract.title) return undefined

  return `${site}${CONTROL_PATH}/document.json`
}

/** Whether a source of a report is the address of a sandbox. */
export function isAddress(source: string): boolean {
  return /^https?:/i.test(source)
}

/** The exchanges of a world as report entries. Entries name their world unless it is the default one. */
export function toRecording(
  world: string,
  exchanges: readonly Exchange[],
  contract: Contract,
): readonly ReportEntry[] {
  const from = world === OWN_WORLD ? {} : { world }
  return exchanges.map((exchange) => ({ ...toReportEntry(exchange, contract), ...from }))
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

/** A notice about unread worlds when the read world has no requests. */
function unreadWorlds(
  known: readonly string[],
  named: readonly string[],
  recordings: readonly (readonly ReportEntry[])[],
): readonly string[] {
  const others = known.filter((name) => !named.includes(name)).length
  if (others === 0 || named.length > 1 || recordings.some(({ length }) => length > 0)) return []
  return [
    `${others} other ${others === 1 ? 'world was' : 'worlds were'} not read: add --all-worlds.`,
  ]
}
