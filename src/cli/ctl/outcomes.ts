import type { Command } from 'commander'
import type { ForceRule } from '../../forcing/force-rule.ts'
import { toOutcome } from '../../forcing/outcomes.ts'
import type { ForcedOutcome } from '../../forcing/rules.ts'
import { type Paint, printable } from '../log.ts'
import { type Report, steer, tabled } from './steer.ts'
import { toShare, toWholeNumber } from './words.ts'

/** The verbs that make requests end one way. */
export function addOutcomes(ctl: Command): void {
  ctl
    .command('force')
    .description('end requests one way from now on')
    .argument('<outcome>', 'as rate-limited, banned, server-error, timeout or slow')
    .option('--operation <name>', 'only requests for this operation')
    .option('--method <method>', 'only requests by this method')
    .option('--path <path>', 'only requests to this path, as "/books/*"')
    .option('--key <key>', 'only requests with this API key')
    .option('--times <number>', 'so many requests; all when left out', toWholeNumber('--times', 1))
    .option('--skip <number>', 'let so many pass first', toWholeNumber('--skip', 0))
    .option('--probability <share>', 'how likely each is, as 0.1', toShare)
    .option('--retry-after <seconds>', 'for Retry-After', toWholeNumber('--retry-after', 1))
    .option('--latency <time>', 'hold the answer back, 2s or 100ms..2s')
    .action((outcome: string, rule: ForceRule, command: Command) => {
      const known = toOutcome(outcome)
      return steer(command, async (client, paint) => {
        const forced = await client.force(known, rule)
        return { value: forced, lines: rows([forced], paint) }
      })
    })
  ctl
    .command('forced')
    .description('list what is forced')
    .action((_options: object, command: Command) =>
      steer(command, async (client, paint) => tellForced(await client.forced(), paint)),
    )
  ctl
    .command('unforce')
    .description('take back what was forced: one, by its id, or all')
    .argument('[id]', 'as "forced" lists it')
    .action((text: string | undefined, _options: object, command: Command) => {
      const id = text === undefined ? undefined : toWholeNumber('the id', 1)(text)
      return steer(command, async (client, paint) => {
        await client.unforce(id)
        return tellForced(await client.forced(), paint)
      })
    })
}

function tellForced(forced: readonly ForcedOutcome[], paint: Paint): Report {
  return { value: forced, lines: rows(forced, paint) }
}

function rows(forced: readonly ForcedOutcome[], paint: Paint): readonly string[] {
  return tabled(
    paint,
    ['ID', 'OUTCOME', 'REQUESTS', 'MATCHED', 'FORCED'],
    forced.map((one) => [one.id, one.outcome, requestsOf(one), one.matched, one.forced]),
    'Nothing is forced.',
  )
}

/** Which requests, in words. */
function requestsOf({ operation, method, path, key, ...rest }: ForcedOutcome): string {
  const { times, skip, probability, retryAfter, latency } = rest
  const which = [operation, method, path, key && `with ${key}`].filter(Boolean).join(' ')
  const conditions = [
    which || 'all',
    times !== undefined && (times === 1 ? '1 time' : `${times} times`),
    skip !== undefined && `after ${skip}`,
    probability !== undefined && `${probability * 100} %`,
    retryAfter !== undefined && `Retry-After ${retryAfter}`,
    latency !== undefined && `latency ${latency}`,
  ]
  return conditions.filter((condition) => condition !== false).join(', ')
}

/** The verbs for scenarios. */
export function addScenarios(ctl: Command): void {
  ctl
    .command('scenarios')
    .description('list the scenarios')
    .action((_options: object, command: Command) =>
      steer(command, async (client, paint) => {
        const scenarios = await client.scenarios()
        const told = scenarios.map(({ name, description }) => [name, description])
        const lines = tabled(paint, ['SCENARIO', 'DESCRIPTION'], told, 'There are no scenarios.')
        return { value: scenarios, lines }
      }),
    )
  ctl
    .command('play')
    .description('start anew as a scenario says')
    .argument('<scenario>', 'as "scenarios" lists it')
    .action((name: string, _options: object, command: Command) =>
      steer(command, async (client) => {
        await client.play(name)
        const scenario = (await client.scenarios()).find((one) => one.name === name)
        return { value: scenario, lines: [printable(`${name}: ${scenario?.description ?? ''}`)] }
      }),
    )
}
