import type { Command } from 'commander'
import type { Account } from '../../sandbox/accounts.ts'
import { toInteger } from './parse-args.ts'
import { formatTable, runVerb, type VerbAction } from './run-verb.ts'

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
