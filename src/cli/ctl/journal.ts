import { type Command, Option } from 'commander'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import { worldPath } from '../../http/paths.ts'
import type { ExchangeSummary } from '../../journal/exchange.ts'
import { type ExchangeQuery, toFilter } from '../../journal/exchange-query.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { exchangeLine } from '../request-log.ts'
import { painter, toJsonLine } from '../terminal.ts'
import { integerOption, type VerbAction, type Verbs } from './run-verb.ts'
import { writeJson } from './worlds.ts'

interface QueryOptions extends Omit<ExchangeQuery, 'from'> {
  readonly oldest?: true
}

interface JournalOptions extends QueryOptions {
  readonly follow?: boolean
}

interface HarOptions extends QueryOptions {
  readonly deliveries?: boolean
}

const QUERY: readonly Option[] = [
  new Option('--operation <name>', 'only exchanges of this operation'),
  new Option(
    '--status <status>',
    'only exchanges with this status (404) or status class (4xx)',
  ).argParser(toStatus),
  new Option('--key <key>', 'only exchanges of this API key'),
  new Option('--since <instant>', "only exchanges from this time on, by the sandbox's clock"),
  new Option('--until <instant>', "only exchanges up to this time, by the sandbox's clock"),
  integerOption(
    '--limit <number>',
    'the maximum number of exchanges: the latest ones, oldest first',
    1,
  ),
  new Option('--oldest', 'with --limit, the oldest exchanges'),
]

/** The verbs for the journal. */
export const journal: Verbs = {
  journal: {
    description: 'list the requests and responses of the sandbox',
    options: [
      ...QUERY,
      new Option('--follow', 'also print new exchanges as they end, until Ctrl+C'),
    ],
    run: ({ follow: isFollowing, ...options }: JournalOptions, command: Command) =>
      isFollowing
        ? follow(toQuery(options), command.optsWithGlobals().json === true)
        : list(toQuery(options)),
  },
  har: {
    description: 'write the journal as an HTTP archive (HAR 1.2)',
    arguments: { '[file]': 'the file to write (default: standard output)' },
    options: [
      ...QUERY,
      new Option(
        '--deliveries',
        'also what was sent to receivers of webhooks and callbacks (default: without other options)',
      ),
      new Option('--no-deliveries', 'only exchanges'),
    ],
    run:
      (file: string | undefined, { deliveries, ...options }: HarOptions) =>
      async (client) => {
        const chosen = deliveries === undefined ? {} : { deliveries }
        return writeJson(file, await client.journal.toHar({ ...toQuery(options), ...chosen }))
      },
  },
}

function toQuery({ oldest, ...query }: QueryOptions): ExchangeQuery {
  return { ...query, ...(oldest && { from: 'start' }) }
}

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const

function toStatus(text: string): NonNullable<ExchangeQuery['status']> {
  const status =
    CLASSES.find((one) => one === text) ?? (/^\d+$/.test(text) ? Number(text) : undefined)
  if (status !== undefined) return status
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option --status',
    reason: `it must be a status such as 404, or a class such as 4xx (got "${text}")`,
  })
}

function list(query: ExchangeQuery): VerbAction {
  return async (client) => {
    const toLine = await lineFormatter(client)
    const exchanges = await client.journal.find(query)
    const lines = exchanges.length === 0 ? ['There are no such exchanges.'] : exchanges.map(toLine)
    return { value: exchanges, lines }
  }
}

/** Formats exchanges as the log of the server does. */
async function lineFormatter(
  client: SandboxClient,
): Promise<(exchange: ExchangeSummary) => string> {
  const { basePath, world } = await client.health()
  const prefix = world === 'default' ? basePath : worldPath(world) + basePath
  const paint = painter()

  return (exchange) => exchangeLine(exchange, prefix, paint)
}

/** Prints the exchanges of the journal, and then each new exchange as it ends. */
function follow(query: ExchangeQuery, isJson: boolean): VerbAction {
  const matches = toFilter(query)
  return async (client) => {
    const toLine = isJson ? toJsonLine : await lineFormatter(client)
    const write = (exchange: ExchangeSummary): void => {
      process.stdout.write(`${toLine(exchange)}\n`)
    }
    const early: ExchangeSummary[] = []
    let print = (exchange: ExchangeSummary): void => void early.push(exchange)
    const hasKey = keyCheck(client, query.key)
    // In the order of the exchanges, also when the sandbox is asked about a key.
    let latest = Promise.resolve()
    const stop = await client.onExchange((exchange) => {
      if (!matches(exchange)) return
      const checked = hasKey(exchange)
      latest = latest.then(async () => {
        if (await checked) print(exchange)
      })
    })
    const found = await client.journal.find(query)
    const last = found.at(-1)?.id ?? 0
    for (const exchange of [...found, ...early.filter(({ id }) => id > last)]) write(exchange)
    print = write
    await stopSignal()
    stop()
    return undefined
  }
}

/**
 * Whether an exchange was sent with a key that is given as a whole. An event has only its end, and the id of the key: whether the id is
 * that of the key, the sandbox is asked once.
 */
function keyCheck(
  { journal }: SandboxClient,
  key: string | undefined,
): (exchange: ExchangeSummary) => Promise<boolean> {
  const checked = new Map<string, Promise<boolean>>()
  if (key === undefined) return async () => true
  const ask = async ({ id }: ExchangeSummary): Promise<boolean> => {
    const [found] = await journal.find({ key, after: id - 1, limit: 1 })
    return found?.id === id
  }
  return async (exchange) => {
    const { client } = exchange
    if (client === undefined) return true
    // A sandbox that has ended cannot tell.
    const isIt = checked.get(client) ?? ask(exchange).catch(() => true)
    checked.set(client, isIt)

    return isIt
  }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve).once('SIGTERM', resolve)
  })
}
