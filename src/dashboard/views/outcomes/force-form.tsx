import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { hasRetryAfter, isOutcome } from '../../../forcing/outcomes.ts'
import { usePage } from '../../page.ts'
import { Field, Select } from '../../parts/field.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import { DocumentedStatuses } from './documented-statuses.tsx'
import { MoreConditions } from './more-conditions.tsx'
import { OperationPicker } from './operation-picker.tsx'
import { OUTCOME_TEXTS } from './outcome-texts.ts'
import {
  type DraftErrors,
  type DraftField,
  EMPTY_DRAFT,
  fieldOf,
  type RuleDraft,
  toRules,
} from './rule-draft.ts'

const OUTCOME_CHOICES = Object.entries(OUTCOME_TEXTS).map(([value, text]) => ({
  value,
  label: `${value}: ${text}`,
}))

/** Forces an outcome on the requests that match. */
export function ForceForm({ onForced }: { readonly onForced: () => Promise<void> }): JSX.Element {
  const { client } = usePage()
  const operations = useLoaded(() => client.operations(), [client]).value ?? []
  const keys = useLoaded(() => client.keys(), [client]).value ?? []
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const { force, isBusy, errors, problem } = useForce(onForced)
  const change = (changes: Partial<RuleDraft>): void => setDraft({ ...draft, ...changes })
  const field = (name: DraftField) => ({
    value: draft[name],
    error: errors[name],
    onInput: (value: string) => change({ [name]: value }),
  })

  return (
    <form
      class="card force-form"
      aria-label="Force an outcome"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void force(draft)
      }}
    >
      <h2>Force an outcome</h2>
      <Select
        label="Outcome"
        value={draft.outcome}
        choices={OUTCOME_CHOICES}
        onChange={(outcome) => isOutcome(outcome) && change({ outcome })}
      />
      <OperationPicker
        operations={operations.map(({ operation, method, path }) => ({
          operation,
          request: `${method} ${path}`,
        }))}
        chosen={draft.operations}
        onChange={(chosen) => change({ operations: chosen })}
      />
      <DocumentedStatuses operations={draft.operations} />
      <div class="field-grid">
        <Field
          label="Key"
          {...field('key')}
          suggestions={keys.map(({ key }) => key)}
          placeholder="every key"
        />
        <Field label="Times" {...field('times')} placeholder="every time" />
        <Field label="Probability" {...field('probability')} placeholder="1" />
        {hasRetryAfter(draft.outcome) && (
          <Field label="Retry-After in seconds" {...field('retryAfter')} placeholder="default" />
        )}
      </div>
      <MoreConditions
        methods={[...new Set(operations.map(({ method }) => method))]}
        field={field}
      />
      {problem && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
      <p class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          Force outcome
        </button>
      </p>
    </form>
  )
}

interface Force {
  readonly force: (draft: RuleDraft) => Promise<void>
  readonly isBusy: boolean
  /** What is wrong in a field. */
  readonly errors: DraftErrors
  /** What is wrong with the rule; empty when nothing is. */
  readonly problem: string
}

/** Sends the rules of a draft. What the sandbox refuses is shown at its field. */
function useForce(onForced: () => Promise<void>): Force {
  const { client } = usePage()
  const [errors, setErrors] = useState<DraftErrors>({})
  const [problem, setProblem] = useState('')
  const { run, isBusy } = useAction((error) => {
    const field = fieldOf(error)
    const message = error instanceof Error ? error.message : String(error)
    if (field) setErrors({ [field]: message })
    else setProblem(message)
  })
  const force = async (draft: RuleDraft): Promise<void> => {
    const { rules, errors: wrong } = toRules(draft)
    setErrors(wrong)
    setProblem('')
    if (Object.keys(wrong).length > 0) return
    const forceAll = async (): Promise<void> => {
      for (const rule of rules) await client.force(draft.outcome, rule)
    }
    await run(forceAll, `${draft.outcome} is forced.`)
    await onForced()
  }

  return { force, isBusy, errors, problem }
}
