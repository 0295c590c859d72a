import type { Command } from 'commander'
import type { Account } from '../../sandbox/accounts.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { collect } from '../setting-options.ts'
import { keys as readKeys, plans as readPlans } from '../setting-values.ts'
import { formatTable, runVerb, toInteger, type VerbAction } from './run-verb.ts'

/** Adds the verbs for plans and API keys. */
export function addAccess(ctl: Command): void {
  ctl
    .command('plans')
    .description('list the plans and their quotas')
    .action((_options: object, command: Command) => runVerb(command, listPlans))
  ctl
    .command('plan')
    .description('add or change plans')
    .argument('<name=minute/day...>', 'requests per minute and per day, for example free=5/100')
    .action((words: readonly string[], _options: object, command: Command) => {
      const plans = Object.entries(readPlans(words, 'the plan'))
      return runVerb(command, async (client, paint) => {
        for (const [name, windows] of plans) await client.setPlan(name, windows)
        return listPlans(client, paint)
      })
    })
  ctl
    .command('keys')
    .description('list the API keys and their plans')
    .action((_options: object, command: Command) => runVerb(command, listKeys))
  ctl
    .command('key')
    .description('add, change or remove API keys')
    .argument('[key=plan...]', 'for example my_key=pro')
    .option('--remove <key>', 'remove an API key; repeatable', collect)
    .action((words: readonly string[], { remove = [] }: KeyOptions, command: Command) => {
      const keys = Object.entries(readKeys(words, 'the key'))
      if (keys.length + remove.length === 0) throw missingKey()
      return runVerb(command, async (client, paint) => {
        for (const [key, plan] of keys) await client.setKey(key, plan)
        for (const key of remove) await client.removeKey(key)
        return listKeys(client, paint)
      })
    })
}

function missingKey(): UsageError {
  return new UsageError({
    code: 'missing_key',
    task: 'change an API key',
    reason: 'no key is given',
    help: 'Write my_key=pro, or --remove my_key.',
  })
}

interface KeyOptions {
  readonly remove?: readonly string[]
}

const listPlans: VerbAction = async (client, paint) => {
  const plans = await client.plans()
  const rows = plans.map(({ name, minute, day }) => [name, minute, day])
  return {
    value: plans,
    lines: formatTable(paint, ['PLAN', 'MINUTE', 'DAY'], rows, 'There are no plans.'),
  }
}

const listKeys: VerbAction = async (client, paint) => {
  const keys = await client.keys()
  const rows = keys.map(({ key, plan, always }) => [key, plan.name, always])
  return {
    value: keys,
    lines: formatTable(paint, ['KEY', 'PLAN', 'ALWAYS'], rows, 'There are no API keys.'),
  }
}

interface RemainingOptions {
  readonly minute?: number
  readonly day?: number
}

/** Adds the verbs for the accounts that requests are counted on. */
export function addAccounts(ctl: Command): void {
  ctl
    .command('accounts')
    .description('list the API keys and other callers with their quotas and bans')
    .action((_options: object, command: Command) => runVerb(command, listAccounts))
  ctl
    .command('remaining')
    .description('set how many requests an account may still send')
    .argument('<account>', 'an API key, or an account of the list')
    .option('--minute <number>', 'remaining requests of this minute', toInteger('--minute', 0))
    .option('--day <number>', 'remaining requests of this day', toInteger('--day', 0))
    .action((account: string, remaining: RemainingOptions, command: Command) =>
      runVerb(command, async (client, paint) => {
        await client.setRemaining(account, remaining)
        return listAccounts(client, paint)
      }),
    )
  ctl
    .command('lift-ban')
    .description('end the ban of an account')
    .argument('<account>', 'an API key, or an account of the list')
    .action((account: string, _options: object, command: Command) =>
      runVerb(command, async (client, paint) => {
        await client.liftBan(account)
        return listAccounts(client, paint)
      }),
    )
}

const listAccounts: VerbAction = async (client, paint) => {
  const accounts = await client.accounts()
  const rows = accounts.map((account) => [
    account.account,
    account.kind === 'unlisted' ? account.key : '',
    account.plan?.name,
    quotaText(account.minute),
    quotaText(account.day),
    account.ban && `until ${account.ban.until}`,
  ])
  return {
    value: accounts,
    lines: formatTable(
      paint,
      ['ACCOUNT', 'CREDENTIAL', 'PLAN', 'MINUTE LEFT', 'DAY LEFT', 'BAN'],
      rows,
      'There are no accounts.',
    ),
  }
}

function quotaText(window: Account['minute']): string {
  return window ? `${window.remaining} of ${window.limit}` : ''
}
