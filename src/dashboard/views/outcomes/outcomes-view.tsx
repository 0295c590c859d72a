import type { JSX } from 'preact'
import { usePage } from '../../page.ts'
import { Pending } from '../../parts/empty.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { ForceForm } from './force-form.tsx'
import { RuleList } from './rule-list.tsx'
import { ScenarioList } from './scenario-list.tsx'

/** Milliseconds between two readings of how often each rule applied. */
const POLL_INTERVAL = 1000

/** Forces outcomes, shows the rules in force, and plays scenarios. */
export function OutcomesView(): JSX.Element {
  const { client } = usePage()
  const rules = useLoaded(() => client.forced(), [client], { every: POLL_INTERVAL })
  if (!rules.value) return <Pending error={rules.error} />

  return (
    <div class="view columns">
      <ForceForm onForced={rules.reload} />
      <div class="column">
        <RuleList rules={rules.value} onChange={rules.reload} />
        <ScenarioList onPlayed={rules.reload} />
      </div>
    </div>
  )
}
