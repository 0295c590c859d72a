import { Option } from 'commander'
import { answers, describeForced, describeWhere, type ForceRule } from '../../forcing/force-rule.ts'
import { FAULTS, isOutcome, OUTCOMES } from '../../forcing/outcomes.ts'
import type { ForcedOutcome } from '../../forcing/rules.ts'
import { count, UsageError, unknownName } from '../../validation/usage-error.ts'
import { parseForced } from '../setting-values.ts'
import { printable } from '../terminal.ts'
import {
  type Columns,
  changing,
  integerOption,
  listing,
  parseJsonArgument,
  tableOf,
  toInteger,
  type Verbs,
} from './run-verb.ts'

const COLUMNS: Columns<ForcedOutcome> = {
  ID: ({ id }) => id,
  OUTCOME: (rule) => describeForced(rule) || 'slow',
  REQUESTS: describeRequests,
  MATCHED: ({ matched }) => matched,
  FORCED: ({ forced }) => forced,
}

const listForced = listing((client) => client.forced(), COLUMNS, 'No outcomes are forced.')

/** What is forced, as a table. */
export function forcedTable(forced: ForcedOutcome): readonly string[] {
  return tableOf([forced], Object.entries(COLUMNS), '')
}

/** The option for a probability. */
export function shareOption(description: string): Option {
  return new Option('--probability <share>', description).argParser(toShare)
}

/** The verbs that force outcomes. */
export const outcomes: Verbs = {
  force: {
    description: 'force an outcome, or any answer of an operation, for the next requests',
    arguments: {
      '[outcome]':
        'for example rate-limited, banned, server-error, timeout, slow or 503, also for one operation as 503:listPets; or an operation, with what it answers; not needed with --status, --fault, --series or --latency',
    },
    options: [
      integerOption('--status <number>', 'the status of the answer', 200),
      new Option('--example <name>', 'the example of the document with this name'),
      new Option(
        '--body <json>',
        'the body; an object is merged into that of the answer',
      ).argParser((text) => parseJsonArgument(text, 'the body')),
      pairsOption('--field <name=text>', 'what is wrong with a field of the input; repeatable'),
      pairsOption('--header <name=value>', 'a header of the answer; repeatable'),
      new Option('--fault <name>', 'break the answer on its way').choices(FAULTS),
      new Option(
        '--series <answers>',
        'statuses and outcomes for one request after another, for example 503,503,next',
      ).argParser(toSeries),
      new Option('--operation <name>', 'only requests for this operation'),
      new Option('--tag <name>', 'only requests for operations with this tag'),
      new Option('--method <method>', 'only requests with this method'),
      new Option('--path <path>', 'only requests to this path, for example "/books/*"'),
      new Option('--key <key>', 'only requests with this API key'),
      pairsOption('--query <name=value>', 'only requests with this query parameter; repeatable'),
      new Option('--where-body <json>', 'only requests whose body contains this').argParser(
        (text) => parseJsonArgument(text, 'the part of the body'),
      ),
      integerOption('--times <number>', 'the number of requests (default: all)', 1),
      integerOption('--skip <number>', 'the number of requests to serve normally first', 0),
      shareOption('the share of requests, for example 0.1'),
      integerOption('--retry-after <seconds>', 'the value of Retry-After', 1),
      new Option('--latency <time>', 'delay the response by 2s or 100ms..2s'),
      new Option('--flow <name>', 'a sequence of states that rules share'),
      new Option(
        '--from <state>',
        'only while the flow is in this state (the first one is "start")',
      ),
      new Option('--to <state>', 'the state of the flow afterwards'),
    ],
    run: (name: string | undefined, options: RuleOptions) => {
      const rule = toRule(name, options)
      return async (client) => {
        const forced = await client.force(rule)
        const { warnings = [] } = forced
        return {
          value: forced,
          lines: [
            ...forcedTable(forced),
            ...warnings.map((warning) => printable(`Warning: ${warning}`)),
          ],
        }
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

/** The options of `force`: a rule, of which some parts have other names. */
type RuleOptions = ForceRule & {
  readonly field?: Readonly<Record<string, string>>
  readonly header?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly whereBody?: unknown
}

/** The rule of an outcome or an operation with options, or of options alone. Throws a UsageError for what is none of them. */
function toRule(
  name: string | undefined,
  { field, header, query, whereBody, ...rule }: RuleOptions,
): ForceRule {
  const where = { ...(query && { query }), ...(whereBody !== undefined && { body: whereBody }) }
  const given: ForceRule = {
    ...rule,
    ...(field && { fields: field }),
    ...(header && { headers: header }),
    ...(Object.keys(where).length > 0 && { where }),
  }
  if (name === undefined) {
    if (answers(given) || given.latency !== undefined || given.to !== undefined) return given
    throw new UsageError({
      code: 'invalid_option',
      task: 'force an answer',
      reason: 'nothing says what is answered',
      help: 'Name an outcome such as server-error, or give --status, --fault, --series or --latency.',
    })
  }
  const isForOperation =
    !isOutcome(name) && given.operation === undefined && (answers(given) || given.to !== undefined)

  return isForOperation ? { ...given, operation: name } : { ...given, ...parseForced(name) }
}

/** A repeatable option for a name and a value. */
function pairsOption(flags: string, description: string): Option {
  const [flag = ''] = flags.split(' ')
  return new Option(flags, description).argParser(
    (text: string, pairs: Readonly<Record<string, string>> = {}) => {
      const at = text.indexOf('=')
      if (at > 0) return { ...pairs, [text.slice(0, at)]: text.slice(at + 1) }
      throw new UsageError({
        code: 'invalid_option',
        task: `use the option ${flag}`,
        reason: `it must be a name and a value, as name=value (got "${text}")`,
      })
    },
  )
}

/** Parses answers that are separated by commas. Throws a UsageError for what is no status, no outcome and not `next`. */
function toSeries(text: string): readonly (number | string)[] {
  const known = ['next', ...OUTCOMES]
  return text.split(',').map((part) => {
    const word = part.trim()
    if (/^\d+$/.test(word)) return Number(word)
    if (known.includes(word)) return word
    throw new UsageError({
      code: 'invalid_option',
      task: 'use the option --series',
      ...unknownName('answer', word, known),
    })
  })
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
function describeRequests(rule: ForcedOutcome): string {
  const { operation, method, path, key, times, skip, probability, retryAfter, latency } = rule
  const filters = [operation, method, path, key && `with ${key}`].filter(Boolean).join(' ')
  const conditions = [
    [filters, describeWhere(rule)].filter(Boolean).join(', ') || 'all',
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
