import type { JSX } from 'preact'
import { describeForced } from '../../forcing/force-rule.ts'
import { formatNumber } from '../../report/format.ts'
import { Badge } from '../../report/html/sections.tsx'
import { useAction, useLoaded, usePage, useSandbox } from '../page.ts'
import { Button, ConfirmButton, Empty, Pending } from '../parts/elements.tsx'
import { ForceForm } from './force-form.tsx'
import { describeConditions, describeSettings, type ForcedOutcome } from './rule-draft.ts'

/** Forces outcomes, shows the rules in force, and plays scenarios. */
export function OutcomesView(): JSX.Element {
  const { rules } = useSandbox()

  return (
    <div class="view columns">
      <ForceForm />
      <div class="column">
        <RuleList rules={rules} />
        <ScenarioList />
      </div>
    </div>
  )
}

interface ListProps {
  readonly rules: readonly ForcedOutcome[]
}

/** The rules in force, in the order in which they apply. */
function RuleList({ rules }: ListProps): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()

  return (
    <section class="card" aria-label="Forced outcomes">
      <header class="card-head">
        <h2>Forced outcomes</h2>
        {rules.length > 0 && (
          <ConfirmButton
            label="Remove all"
            question="No outcome is forced any longer."
            isDisabled={isBusy}
            onConfirm={() => run(() => client.unforce(), 'All forced outcomes are removed.')}
          />
        )}
      </header>
      {rules.length === 0 ? (
        <Empty title="No outcome is forced">
          <p>Requests are answered as the document says.</p>
        </Empty>
      ) : (
        <ol class="rows">
          {rules.map((rule) => (
            <RuleRow
              key={rule.id}
              rule={rule}
              isBusy={isBusy}
              onRemove={() =>
                run(() => client.unforce(rule.id), `${nameOf(rule)} is no longer forced.`)
              }
            />
          ))}
        </ol>
      )}
      <p class="hint">
        The first rule that applies decides. A rule with a number of times is removed when it was
        forced that often.
      </p>
    </section>
  )
}

interface RowProps {
  readonly rule: ForcedOutcome
  readonly isBusy: boolean
  readonly onRemove: () => void
}

function nameOf(rule: ForcedOutcome): string {
  return describeForced(rule) || 'slow'
}

function RuleRow({ rule, isBusy, onRemove }: RowProps): JSX.Element {
  const { id, times, forced, matched, warnings = [] } = rule
  const outcome = nameOf(rule)
  const settings = describeSettings(rule)

  return (
    <li>
      <div class="rule-name">
        <Badge tone="warning">{outcome}</Badge>
        <span class="long">on {describeConditions(rule)}</span>
        {settings && <span class="quiet">{settings}</span>}
        <p>
          forced <b>{formatNumber(forced)}</b>
          {times !== undefined && ` of ${formatNumber(times)}`}
          <span class="quiet"> · {formatNumber(matched)} matched</span>
        </p>
        {warnings.map((warning) => (
          <p key={warning} class="hint">
            {warning}
          </p>
        ))}
      </div>
      <Button
        class="small"
        aria-label={`Remove ${outcome} on ${describeConditions(rule)}, rule ${id}`}
        disabled={isBusy}
        onClick={onRemove}
      >
        Remove
      </Button>
    </li>
  )
}

/** The scenarios, each with what it is for and a button that plays it. */
function ScenarioList(): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const { value: scenarios, error } = useLoaded(() => client.scenarios())

  return (
    <section class="card" aria-label="Scenarios">
      <h2>Scenarios</h2>
      {!scenarios && <Pending error={error} />}
      {scenarios?.length === 0 && (
        <Empty title="There are no scenarios">
          <p>Give the sandbox scenarios of your own with the option --scenarios.</p>
        </Empty>
      )}
      <ul class="rows scenarios">
        {scenarios?.map(({ name, description }) => (
          <li key={name}>
            <div class="long">
              <b>{name}</b>
              <p class="quiet">{description}</p>
            </div>
            <ConfirmButton
              label="Play"
              subject={name}
              question="The world is reset to the start of the scenario: its records, counts, bans, forced outcomes, keys, clock and journal are replaced."
              isDisabled={isBusy}
              onConfirm={() => run(() => client.play(name), `The scenario "${name}" is played.`)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
