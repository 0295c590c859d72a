import type { JSX } from 'preact'
import { Empty } from '../../parts/empty.tsx'
import { PlanForm } from './plan-form.tsx'

/** What the keys show in a sandbox without plans. */
export function NoPlans({ onSaved }: { readonly onSaved: () => Promise<void> }): JSX.Element {
  return (
    <Empty title="No plans">
      <p>
        Without a plan, the sandbox counts no requests and refuses none. With plans, each key has a
        quota for the minute and for the day. A key that is not listed has the first plan.
      </p>
      <PlanForm plans={[]} onSaved={onSaved} />
      <p>To have a plan and a key at each start:</p>
      <pre>pet-sandbox API.yaml --plan free=60/1000 --key my-key=free</pre>
    </Empty>
  )
}
