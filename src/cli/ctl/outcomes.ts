import type { Command } from 'commander'
import { toOutcome } from '../../forcing/outcomes.ts'
import type { ForcedOutcome, ForceRule } from '../../forcing/rules.ts'
import { type Paint, printable } from '../terminal.ts'
import { formatTable, runVerb, toInteger, toShare, type VerbResult } from './run-verb.ts'

/** Adds the verbs that force outcomes. */
export function addOutcomes(ctl: Command): void {
  ctl
    .command('force')
    .description('force an outcome for the next requests')
    .argument('<outcome>', 'for example rate-limited, banned, server-error, timeout or slow')
    .option('--operation <name>', 'only requests for this operation')
    .option('--method <method>', 'only requests with this method')
    .option('--path <path>', 'only requests to this path, for example "/books/*"')
    .option('--key <key>', 'only requests with this API key')
    .option('--times <number>', 'the number of requests (default: all)', toInteger('--times', 1))
    .option(
      '--skip <number>',
      'the number of requests to serve normally first',
      toInteger('--skip', 0),
    )
    .option('--probability <share>', 'the share of requests, for example 0.1', toShare)
    .option('--retry-after <seconds>', 'the value of Retry-After', toInteger('--retry-after', 1))
    .option('--latency <time>', 'delay the response by 2s or 100ms..2s')
    .action((outcome: string, rule: ForceRule, command: Command) => {
      const known = toOutcome(outcome)
      return runVerb(command, async (client, paint) => {
        const forced = await client.force(known, rule)
        return { value: forced, lines: rows([forced], paint) }
      })
    })
  ctl
    .command('forced')
    .description('list the forced outcomes')
    .action((_options: object, command: Command) =>
      runVerb(command, async (client, paint) => forcedResult(await client.forced(), paint)),
    )
  ctl
    .command('unforce')
    .description('remove one forced outcome by its id, or all')
    .argument('[id]', 'an id from "forced" (default: all)')
    .action((text: string | undefined, _options: object, command: Command) => {
      const id = text === undefined ? undefined : toInteger('the id', 1)(text)
      return runVerb(command, async (client, paint) => {
        await client.unforce(id)
        return forcedResult(await client.forced(), paint)
      })
    })
}

function forcedResult(forced: readonly ForcedOutcome[], paint: Paint): VerbResult {
  return { value: forced, lines: rows(forced, paint) }
}

function rows(forced: readonly ForcedOutcome[], paint: Paint): readonly string[] {
  return formatTable(
    paint,
    ['ID', 'OUTCOME', 'REQUESTS', 'MATCHED', 'FORCED'],
    forced.map((one) => [one.id, one.outcome, describeRequests(one), one.matched, one.forced]),
    'No outcomes are forced.',
  )
}

/** Describes the requests of a forced outcome. */
function describeRequests({ operation, method, path, key, ...rest }: ForcedOutcome): string {
  const { times, skip, probability, retryAfter, latency } = rest
  const filters = [operation, method, path, key && `with ${key}`].filter(Boolean).join(' ')
  const conditions = [
    filters || 'all',
    times !== undefined && (times === 1 ? '1 time' : `${times} times`),
    skip !== undefined && `after ${skip}`,
    probability !== undefined && `${probability * 100} %`,
    retryAfter !== undefined && `Retry-After ${retryAfter}`,
    latency !== undefined && `latency ${latency}`,
  ]
  return conditions.filter((condition) => condition !== false).join(', ')
}

/** Adds the verbs for scenarios. */
export function addScenarios(ctl: Command): void {
  ctl
    .command('scenarios')
    .description('list the scenarios')
    .action((_options: object, command: Command) =>
      runVerb(command, async (client, paint) => {
        const scenarios = await client.scenarios()
        const rows = scenarios.map(({ name, description }) => [name, description])
        const lines = formatTable(
          paint,
          ['SCENARIO', 'DESCRIPTION'],
          rows,
          'There are no scenarios.',
        )
        return { value: scenarios, lines }
      }),
    )
  ctl
    .command('play')
    .description('reset the sandbox and apply a scenario')
    .argument('<scenario>', 'a name from "scenarios"')
    .action((name: string, _options: object, command: Command) =>
      runVerb(command, async (client) => {
        await client.play(name)
        const scenario = (await client.scenarios()).find((one) => one.name === name)
        return { value: scenario, lines: [printable(`${name}: ${scenario?.description ?? ''}`)] }
      }),
    )
}
