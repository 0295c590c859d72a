import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { usePage } from '../../page.ts'
import { Empty, Pending } from '../../parts/empty.tsx'
import { Field } from '../../parts/field.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useSandboxTime } from '../../parts/use-sandbox-time.ts'
import { AccountCard } from './account-card.tsx'
import { AddKeyForm } from './add-key-form.tsx'
import { NoPlans } from './no-plans.tsx'
import { PlanForm } from './plan-form.tsx'

/** Milliseconds between two readings of the quotas. */
const POLL_INTERVAL = 1000
/** More accounts are drawn on request. */
const SHOWN = 60

/** Each key and each other account, with its plan, its quotas and its ban. */
export function KeysView(): JSX.Element {
  const { client } = usePage()
  const accounts = useLoaded(() => client.accounts(), [client], { every: POLL_INTERVAL })
  const loadedPlans = useLoaded(() => client.plans(), [client])
  const plans = loadedPlans.value ?? []
  const now = useSandboxTime(500) ?? 0
  const [text, setText] = useState('')
  const [shown, setShown] = useState(SHOWN)
  if (!accounts.value) return <Pending error={accounts.error} />
  const reloadAll = async (): Promise<void> => {
    await Promise.all([loadedPlans.reload(), accounts.reload()])
  }
  if (loadedPlans.value?.length === 0 && accounts.value.length === 0)
    return <NoPlans onSaved={reloadAll} />
  const wanted = text.toLowerCase()
  const found = accounts.value.filter(({ account, plan }) =>
    `${account} ${plan?.name ?? ''}`.toLowerCase().includes(wanted),
  )

  return (
    <div class="view">
      <div class="toolbar">
        <Field
          label="Search keys"
          isLabelHidden
          type="search"
          placeholder="Search keys and plans"
          value={text}
          onInput={setText}
        />
        {plans.length > 0 && <AddKeyForm plans={plans} onAdded={accounts.reload} />}
      </div>
      <details class="card">
        <summary>Plans</summary>
        <PlanForm plans={plans} onSaved={reloadAll} />
      </details>
      {found.length === 0 && <NoAccount isFiltered={wanted !== ''} />}
      <div class="cards">
        {found.slice(0, shown).map((account) => (
          <AccountCard
            key={account.account}
            account={account}
            plans={plans}
            now={now}
            onChange={accounts.reload}
          />
        ))}
      </div>
      {found.length > shown && (
        <button type="button" onClick={() => setShown(found.length)}>
          Show {(found.length - shown).toLocaleString('en')} more
        </button>
      )}
    </div>
  )
}

function NoAccount({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  if (isFiltered) return <Empty title="No key matches" />
  return (
    <Empty title="No keys yet">
      <p>Add a key, or send a request: its key appears here with the first plan.</p>
    </Empty>
  )
}
