import type { Command } from 'commander'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import { worldPath } from '../../http/world-path.ts'
import type { ExchangeSummary } from '../../journal/exchange.ts'
import { type ExchangeQuery, toFilter } from '../../journal/exchange-query.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { painter, prettyLine, toJson } from '../log.ts'
import { openClient, orFail, steer, wantsJson } from './steer.ts'
import { written } from './whole.ts'
import { toWholeNumber } from './words.ts'

interface JournalOptions extends ExchangeQuery {
  readonly follow?: boolean
}

/** The verbs for what was asked and answered. */
export function addJournal(ctl: Command): void {
  withQuery(ctl.command('journal').description('show what was asked and answered'))
    .option('--follow', 'go on with each exchange as it ends, until Ctrl+C')
    .action(({ follow: isEndless, ...query }: JournalOptions, command: Command) =>
      isEndless ? follow(command, query) : list(command, query),
    )
  withQuery(ctl.command('har').description('get the journal as an HTTP archive (HAR 1.2)'))
    .argument('[file]', 'where to; standard output when left out')
    .action((file: string | undefined, query: ExchangeQuery, command: Command) =>
      steer(command, async ({ journal }) => written(file, await journal.toHar(query))),
    )
}

function withQuery(command: Command): Command {
  return command
    .option('--operation <name>', 'only exchanges of this operation')
    .option(
      '--status <status>',
      'only those with this status, as 404, or of a class, as 4xx',
      toStatus,
    )
    .option('--key <key>', 'only those of this API key')
    .option('--since <instant>', "only those from this moment on, by the sandbox's clock")
    .option('--until <instant>', "only those up to this moment, by the sandbox's clock")
    .option('--limit <number>', 'at most so many, the oldest first', toWholeNumber('--limit', 1))
}

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const

function toStatus(text: string): NonNullable<ExchangeQuery['status']> {
  const status =
    CLASSES.find((one) => one === text) ?? (/^\d+$/.test(text) ? Number(text) : undefined)
  if (status !== undefined) return status
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option --status',
    reason: `it must be a status as 404, or a class as 4xx (got "${text}")`,
  })
}

function list(command: Command, query: ExchangeQuery): Promise<void> {
  return steer(command, async (client) => {
    const toLine = await liner(client)
    const exchanges = await client.journal.find(query)
    const lines =
      exchanges.length === 0 ? ['Nothing of the kind was asked.'] : exchanges.map(toLine)
    return { value: exchanges, lines }
  })
}

/** A line as the sandbox's own log has it. */
async function liner(client: SandboxClient): Promise<(exchange: ExchangeSummary) => string> {
  const { basePath, world } = await client.health()
  const place = world === 'default' ? basePath : worldPath(world) + basePath
  const paint = painter(process.stdout, process.env)

  return (exchange) => prettyLine(exchange, place, paint)
}

/** What the journal has, and then each exchange as it ends. */
async function follow(command: Command, query: ExchangeQuery): Promise<void> {
  const fits = toFilter(query)
  const { client, address } = await openClient(command)
  await orFail(
    (async () => {
      const toLine = wantsJson(command) ? toJson : await liner(client)
      const write = (exchange: ExchangeSummary): void => {
        process.stdout.write(`${toLine(exchange)}\n`)
      }
      const early: ExchangeSummary[] = []
      let tell = (exchange: ExchangeSummary): void => void early.push(exchange)
      const stop = await client.onExchange((exchange) => {
        if (fits(exchange)) tell(exchange)
      })
      const found = await client.journal.find(query)
      const last = found.at(-1)?.id ?? 0
      for (const exchange of [...found, ...early.filter(({ id }) => id > last)]) write(exchange)
      tell = write
      await toldToStop()
      stop()
    })(),
    address,
  )
}

function toldToStop(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve).once('SIGTERM', resolve)
  })
}
