import type { Command } from 'commander'
import { UsageError } from '../../validation/usage-error.ts'
import { collect } from '../collect.ts'
import { keys as readKeys, plans as readPlans } from '../parse-setting.ts'
import { formatTable, runVerb, type VerbAction } from './run-verb.ts'

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
