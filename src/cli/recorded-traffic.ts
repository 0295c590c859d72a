import type { Plan } from '../access/callers.ts'
import type { SandboxClient } from '../client/sandbox-client.ts'
import type { Contract, ServiceTypes } from '../contract/contract.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import { CONTROL_PATH } from '../http/paths.ts'
import type { Exchange } from '../journal/exchange.ts'
import { describeExchangesError } from '../report/exchange-check.ts'
import { readHar } from '../report/read-har.ts'
import { readReport } from '../report/read-report.ts'
import type { ReceiverJudgement } from '../report/receivers.ts'
import type { ReportEntry } from '../report/report-entry.ts'
import { toReportEntry } from '../report/report-entry.ts'
import { OWN_WORLD } from '../sandbox/worlds.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import { readText } from './system-error.ts'
import { printable } from './terminal.ts'

/** The requests that a source has recorded. */
export interface RecordedTraffic {
  readonly recordings: readonly (readonly ReportEntry[])[]
  /** What the source did not record, or what was ignored. */
  readonly notices: readonly string[]
  /** How the receivers of its events behaved. Default: there were none. */
  readonly receivers?: readonly ReceiverJudgement[]
  /** The plans of the recorded sandbox. */
  readonly plans?: readonly Plan[]
}

/** Throws a UsageError for a source of another API. */
function rejectOtherApi(source: string, title: string, contract: Contract): void {
  if (title === contract.title) return
  throw new UsageError({
    code: 'other_contract',
    task: `report on ${source}`,
    reason: `it serves ${title}, not ${contract.title}`,
    help: 'Name its document with --openapi.',
  })
}

/** Throws a UsageError when no requests were recorded, or none for an operation of the document: nothing would be checked. */
export function rejectEmptyTraffic(
  sources: readonly string[],
  recorded: readonly RecordedTraffic[],
  advice: string,
): void {
  const entries = recorded.flatMap(({ recordings }) => recordings.flat())
  const [first] = entries
  const isUnknown = ({ operation, status }: ReportEntry): boolean =>
    operation === undefined && (status === 404 || status === 405)
  if (first && !entries.every(isUnknown)) return
  const reason = first
    ? `none of the requests was for an operation of the document (the first was ${printable(`${first.method} ${first.target}`)})`
    : 'no request was recorded'
  throw new UsageError({
    code: 'nothing_recorded',
    task: `report on ${sources.join(', ')}`,
    reason,
    help: advice,
  })
}

/** The number of hosts that a notice names. */
const MAX_HOSTS = 3

/** Reads an HTTP archive or a JSON report. Throws a UsageError for any other file. */
export async function readRecording(file: string, contract: Contract): Promise<RecordedTraffic> {
  const value = await readJson(file)
  const contents = readReport(value, contract.title, file)
  if (contents) return contents
  const { entries, ignored, hosts } = await readHar(value, contract, file)
  const where = hosts.slice(0, MAX_HOSTS).map(printable).join(', ')
  const more = hosts.length > MAX_HOSTS ? `, and ${hosts.length - MAX_HOSTS} more` : ''
  if (entries.length === 0 && ignored > 0) {
    throw new UsageError({
      code: 'other_contract',
      task: `report on ${file}`,
      reason: `none of its ${ignored} requests is a request to ${contract.title} (they went to ${where}${more})`,
      help: 'Name the document of that API with --openapi.',
    })
  }
  const total = entries.length + ignored
  const left = `${file}: ${ignored} of ${total} requests ${ignored === 1 ? 'is' : 'are'} not to ${contract.title}`

  return {
    recordings: [entries],
    notices: ignored === 0 ? [] : [`${left} and left out (${where}${more}).`],
  }
}

async function readJson(file: string): Promise<unknown> {
  const text = await readText(file, {
    code: 'unreadable_recording',
    task: `read ${file}`,
    help: /^[\w.-]+:\d+/.test(file)
      ? `Write the address as http://${file}.`
      : "Give a sandbox's address, a .har file or the JSON of a report.",
  })
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (cause) {
    throw new UsageError({
      code: 'invalid_har',
      task: `read ${file}`,
      reason: 'the file is not valid JSON',
      help: 'Give the address of a sandbox, a .har file or the JSON of a report.',
      cause,
    })
  }
}

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
  const { createClient } = await import('../client/client.ts')
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

  // The sandbox judges them itself. The rules are left out, because all recordings are judged together.
  const reports = await Promise.all(worlds.map((one) => one.report({ only: [] })))

  return {
    recordings,
    notices: unreadWorlds(known, named, recordings),
    receivers: reports.flatMap(({ receivers = [] }) => receivers),
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
  const { createClient, readAddress } = await import('../client/client.ts')
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
