import type { LoadedWorld } from '../stored-state.ts'
import { accountIn, readConfig } from './arrival-texts.ts'
import { listIn, numberIn, pairsIn, textsIn } from './reply.ts'
import { corruptValue } from './store-errors.ts'
import { readRule } from './stored-texts.ts'

/** Reads the reply of the script `load`; `undefined` when the world does not exist. */
export function readWorld(
  reply: readonly unknown[],
  key: string,
): { readonly world: LoadedWorld; readonly hasRetired: boolean } | undefined {
  const [kind, storeTime, values, accounts, order, rules, retired] = reply
  if (kind === 'missing') return undefined
  const [epoch, version, text, offset, frozen, random, last] = listIn(values, key)

  return {
    hasRetired: numberIn(retired, key) > 0,
    world: {
      ...readConfig([epoch, version, text], key),
      clock: {
        offset: numberIn(offset, key),
        ...(frozen !== null && { frozenAt: numberIn(frozen, key) }),
      },
      storeTime: numberIn(storeTime, key),
      random: numberIn(random, key),
      accounts: inOrder(
        new Map(pairsIn(accounts, key).map(([name, account]) => [name, accountIn(account, key)])),
        textsIn(order, key),
      ),
      rules: new Map(
        pairsIn(rules, key).map(([id, rule]) => [numberIn(id, key), ruleIn(rule, key)]),
      ),
      last: numberIn(last, key),
    },
  }
}

/** Accounts in their order, which a hash does not have. */
function inOrder(
  accounts: LoadedWorld['accounts'],
  order: readonly string[],
): LoadedWorld['accounts'] {
  const ordered = order.flatMap((name) => {
    const account = accounts.get(name)
    return account ? [[name, account] as const] : []
  })
  return new Map([...ordered, ...accounts])
}

function ruleIn(text: string, key: string): NonNullable<ReturnType<typeof readRule>> {
  const rule = readRule(text)
  if (!rule) throw corruptValue(key)

  return rule
}
