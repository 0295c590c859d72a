import { Option } from 'commander'
import { toOutcome } from '../../forcing/outcomes.ts'
import type { ForcedOutcome, ForceRule } from '../../forcing/rules.ts'
import { count, UsageError } from '../../validation/usage-error.ts'
import { printable } from '../terminal.ts'
import {
  type Columns,
  changing,
  integerOption,
  listing,
  tableOf,
  toInteger,
  type Verbs,
} from './run-verb.ts'

const COLUMNS: Columns<ForcedOutcome> = {
  ID: ({ id }) => id,
  OUTCOME: ({ outcome }) => outcome,
  REQUESTS: describeRequests,
  MATCHED: ({ matched }) => matched,
  FORCED: ({ forced }) => forced,
}

const listForced = listing((client) => client.forced(), COLUMNS, 'No outcomes are forced.')

/** The verbs that force outcomes. */
export const outcomes: Verbs = {
  force: {
    description: 'force an outcome for the next requests',
    arguments: { '<outcome>': 'for example rate-limited, banned, server-error, timeout or slow' },
    options: [
      new Option('--operation <name>', 'only requests for this operation'),
      new Option('--method <method>', 'only requests with this method'),
      new Option('--path <path>', 'only requests to this path, for example "/books/*"'),
      new Option('--key <key>', 'only requests with this API key'),
      integerOption('--times <number>', 'the number of requests (default: all)', 1),
      integerOption('--skip <number>', 'the number of requests to serve normally first', 0),
      new Option('--probability <share>', 'the share of requests, for example 0.1').argParser(
        toShare,
      ),
      integerOption('--retry-after <seconds>', 'the value of Retry-After', 1),
      new Option('--latency <time>', 'delay the response by 2s or 100ms..2s'),
    ],
    run: (outcome: string, rule: ForceRule) => {
      const known = toOutcome(outcome)
      return async (client) => {
        const forced = await client.force(known, rule)
        return { value: forced, lines: tableOf([forced], Object.entries(COLUMNS), '') }
      }
    },
  },
  forced: { description: 'list the forced outcomes', run: () => listForced },
  unforce: {
    description: 'remove one forced outcome by its id, or all',
    arguments: { '[id]': 'an id from "forced" (default: all)' },
    run: (text: string | undefined) => {
      const id = text === undefined ? undefined : toInteger('the id', text, 1)
      return changing((client) => client.unforce(id), listForced)
    },
  },
}

/** Parses a number > 0 and ≤ 1. Throws a UsageError for other text. */
function toShare(text: string): number {
  const share = text.trim() === '' ? Number.NaN : Number(text)
  if (share > 0 && share <= 1) return share
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option --probability',
    reason: `it must be a number > 0 and ≤ 1 (got "${text}")`,
  })
}

/** Describes the requests of a forced outcome. */
function describeRequests({ operation, method, path, key, ...rest }: ForcedOutcome): string {
  const { times, skip, probability, retryAfter, latency } = rest
  const filters = [operation, method, path, key && `with ${key}`].filter(Boolean).join(' ')
  const conditions = [
    filters || 'all',
    times !== undefined && count(times, 'time'),
    skip !== undefined && `after ${skip}`,
    probability !== undefined && `${probability * 100} %`,
    retryAfter !== undefined && `Retry-After ${retryAfter}`,
    latency !== undefined && `latency ${latency}`,
  ]
  return conditions.filter((condition) => condition !== false).join(', ')
}

/** The verbs for scenarios. */
export const scenarios: Verbs = {
  scenarios: {
    description: 'list the scenarios',
    run: () =>
      listing(
        (client) => client.scenarios(),
        { SCENARIO: ({ name }) => name, DESCRIPTION: ({ description }) => description },
        'There are no scenarios.',
      ),
  },
  play: {
    description: 'reset the sandbox and apply a scenario',
    arguments: { '<scenario>': 'a name from "scenarios"' },
    run: (name: string) => async (client) => {
      await client.play(name)
      const scenario = (await client.scenarios()).find((one) => one.name === name)
      return { value: scenario, lines: [printable(`${name}: ${scenario?.description ?? ''}`)] }
    },
  },
}
