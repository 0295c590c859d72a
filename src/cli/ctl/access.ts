import type { Command } from 'commander'
import { UsageError } from '../../validation/usage-error.ts'
import { collect } from '../collect.ts'
import { keys as readKeys, plans as readPlans } from '../read-setting.ts'
import { type Deed, steer, tabled } from './steer.ts'

/** The verbs for plans and keys. */
export function addAccess(ctl: Command): void {
  ctl
    .command('plans')
    .description('list the plans, with the requests that each allows')
    .action((_options: object, command: Command) => steer(command, tellPlans))
  ctl
    .command('plan')
    .description('change a plan, or add one')
    .argument('<name=minute/day...>', 'as free=5/100')
    .action((words: readonly string[], _options: object, command: Command) => {
      const plans = Object.entries(readPlans(words, 'the plan'))
      return steer(command, async (client, paint) => {
        for (const [name, windows] of plans) await client.setPlan(name, windows)
        return tellPlans(client, paint)
      })
    })
  ctl
    .command('keys')
    .description('list the API keys, with their plans')
    .action((_options: object, command: Command) => steer(command, tellKeys))
  ctl
    .command('key')
    .description('put an API key on a plan, or remove one')
    .argument('[key=plan...]', 'as my_key=pro')
    .option('--remove <key>', 'make a key invalid; repeatable', collect)
    .action((words: readonly string[], { remove = [] }: KeyOptions, command: Command) => {
      const keys = Object.entries(readKeys(words, 'the key'))
      if (keys.length + remove.length === 0) throw noKey()
      return steer(command, async (client, paint) => {
        for (const [key, plan] of keys) await client.setKey(key, plan)
        for (const key of remove) await client.removeKey(key)
        return tellKeys(client, paint)
      })
    })
}

function noKey(): UsageError {
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

const tellPlans: Deed = async (client, paint) => {
  const plans = await client.plans()
  const rows = plans.map(({ name, minute, day }) => [name, minute, day])
  return { value: plans, lines: tabled(paint, ['PLAN', 'MINUTE', 'DAY'], rows, 'There are none.') }
}

const tellKeys: Deed = async (client, paint) => {
  const keys = await client.keys()
  const rows = keys.map(({ key, plan, always }) => [key, plan.name, always])
  return { value: keys, lines: tabled(paint, ['KEY', 'PLAN', 'ALWAYS'], rows, 'There are none.') }
}
