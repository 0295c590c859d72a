import { Option } from 'commander'
import type { Account, RemainingRequests } from '../../sandbox/accounts.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { collect } from '../setting-options.ts'
import { keys as readKeys, plans as readPlans } from '../setting-values.ts'
import { changing, integerOption, listing, type Verbs } from './run-verb.ts'

const listPlans = listing(
  (client) => client.plans(),
  { PLAN: ({ name }) => name, MINUTE: ({ minute }) => minute, DAY: ({ day }) => day },
  'There are no plans.',
)

const listKeys = listing(
  (client) => client.keys(),
  {
    KEY: ({ key }) => key,
    PLAN: ({ plan }) => plan?.name,
    ALWAYS: ({ always }) => always,
    USER: ({ user }) => user,
  },
  'There are no API keys.',
)

/** The verbs for plans and API keys. */
export const access: Verbs = {
  plans: { description: 'list the plans and their quotas', run: () => listPlans },
  plan: {
    description: 'add or change plans',
    arguments: {
      '<name=minute/day...>': 'requests per minute and per day, for example free=5/100',
    },
    run: (words: readonly string[]) => {
      const plans = Object.entries(readPlans(words, 'the plan'))
      return changing(async (client) => {
        for (const [name, windows] of plans) await client.setPlan(name, windows)
      }, listPlans)
    },
  },
  keys: { description: 'list the API keys and their plans', run: () => listKeys },
  key: {
    description: 'add, change or remove API keys',
    arguments: { '[key=plan...]': 'for example my_key=pro, or my_key=pro:7 with the id of a user' },
    options: [new Option('--remove <key>', 'remove an API key; repeatable').argParser(collect)],
    run: (words: readonly string[], { remove = [] }: { readonly remove?: readonly string[] }) => {
      const keys = Object.entries(readKeys(words, 'the key'))
      if (keys.length + remove.length === 0) throw missingKey()
      return changing(async (client) => {
        for (const [key, given] of keys) await client.setKey(key, given)
        for (const key of remove) await client.removeKey(key)
      }, listKeys)
    },
  },
}

function missingKey(): UsageError {
  return new UsageError({
    code: 'missing_key',
    task: 'change an API key',
    reason: 'no key is given',
    help: 'Write my_key=pro, or --remove my_key.',
  })
}

const listAccounts = listing(
  (client) => client.accounts(),
  {
    ACCOUNT: ({ account }) => account,
    CREDENTIAL: (one) => (one.kind === 'unlisted' ? one.key : ''),
    PLAN: ({ plan }) => plan?.name,
    'MINUTE LEFT': ({ minute }) => quotaText(minute),
    'DAY LEFT': ({ day }) => quotaText(day),
    BAN: ({ ban }) => ban && `until ${ban.until}`,
  },
  'There are no accounts.',
)

function quotaText(window: Account['minute']): string {
  return window ? `${window.remaining} of ${window.limit}` : ''
}

const ACCOUNT = { '<account>': 'an API key, or an account of the list' }

/** The verbs for the accounts that requests are counted on. */
export const accounts: Verbs = {
  accounts: {
    description: 'list the API keys and other callers with their quotas and bans',
    run: () => listAccounts,
  },
  remaining: {
    description: 'set how many requests an account may still send',
    arguments: ACCOUNT,
    options: [
      integerOption('--minute <number>', 'remaining requests of this minute', 0),
      integerOption('--day <number>', 'remaining requests of this day', 0),
    ],
    run: (account: string, remaining: RemainingRequests) =>
      changing((client) => client.setRemaining(account, remaining), listAccounts),
  },
  'lift-ban': {
    description: 'end the ban of an account',
    arguments: ACCOUNT,
    run: (account: string) => changing((client) => client.liftBan(account), listAccounts),
  },
}
