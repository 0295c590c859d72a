import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import { DELIVERY_FAULTS } from '../../forcing/outcomes.ts'
import { messageOf, useFormAction, useLoaded, usePage } from '../page.ts'
import { ErrorText, Form, SubmitButton, useFirst } from '../parts/elements.tsx'
import { Field, Select, useSearch } from '../parts/field.tsx'
import { AnswerFields } from './answer-fields.tsx'
import {
  type DraftErrors,
  type DraftField,
  EMPTY_DRAFT,
  fieldOf,
  isForcible,
  KINDS,
  OUTCOME_TEXTS,
  type RuleDraft,
  sendsRetryAfter,
  toRules,
} from './rule-draft.ts'

/** Forces an outcome, an answer, a series of answers, or a fault of deliveries. */
export function ForceForm(): JSX.Element {
  const { client, route } = usePage()
  const operations = useLoaded(() => client.operations({ behaviours: false })).value ?? []
  const [draft, setDraft] = useState(() => draftFor(route.query.operation))
  const details = useOperation(draft.operations)
  const { force, isBusy, errors, problem } = useForce()
  const change = (changes: Partial<RuleDraft>): void => setDraft({ ...draft, ...changes })
  const isDelivery = draft.outcome === 'delivery'
  const field = (name: DraftField) => ({
    value: draft[name],
    error: errors[name],
    onInput: (value: string) => change({ [name]: value }),
  })

  return (
    <Form
      class="card force-form"
      aria-label="Force an outcome"
      noValidate
      onSubmit={() => force(draft)}
    >
      <h2>Force an outcome</h2>
      <Select
        label="Outcome"
        value={draft.outcome}
        choices={Object.entries({ ...OUTCOME_TEXTS, ...KINDS }).map(([value, text]) => ({
          value,
          label: `${value}: ${text}`,
        }))}
        onChange={(outcome) => isForcible(outcome) && change({ outcome })}
      />
      {isDelivery ? (
        <DeliveryFields field={field} />
      ) : (
        <OperationPicker
          operations={operations.map(({ operation, method, path }) => ({
            operation,
            request: `${method} ${path}`,
          }))}
          chosen={draft.operations}
          onChange={(chosen) => change({ operations: chosen })}
        />
      )}
      {draft.outcome === 'answer' && (
        <AnswerFields responses={details?.responses ?? []} field={field} />
      )}
      {draft.outcome === 'series' && <SeriesField field={field} />}
      {!Object.hasOwn(KINDS, draft.outcome) && <DocumentedStatuses details={details} />}
      <Extent draft={draft} field={field} />
      <MoreConditions
        methods={[...new Set(operations.map(({ method }) => method))]}
        tags={[...new Set(operations.flatMap(({ tags = [] }) => tags))]}
        isDelivery={isDelivery}
        field={field}
      />
      {problem && <ErrorText>{problem}</ErrorText>}
      <p class="buttons">
        <SubmitButton isBusy={isBusy} isPrimary label="Force outcome" />
      </p>
    </Form>
  )
}

/** The first draft: for the operation of the address, for which more is forced than an outcome. */
function draftFor(operation: string | undefined): RuleDraft {
  return operation ? { ...EMPTY_DRAFT, outcome: 'series', operations: [operation] } : EMPTY_DRAFT
}

/** The value of a field, its error, and how to change it. */
type FieldOf = (name: DraftField) => {
  readonly value: string
  readonly error: string | undefined
  readonly onInput: (value: string) => void
}

interface FieldsProps {
  readonly field: FieldOf
}

/** On whose requests it is forced, and how often. */
function Extent({ draft, field }: FieldsProps & { readonly draft: RuleDraft }): JSX.Element {
  const { client } = usePage()
  const keys = useLoaded(() => client.keys()).value ?? []

  return (
    <div class="field-grid">
      {draft.outcome !== 'delivery' && (
        <Field
          label="Key"
          {...field('key')}
          suggestions={keys.map(({ key }) => key)}
          placeholder="every key"
        />
      )}
      <Field label="Times" {...field('times')} placeholder="every time" />
      <Field label="Probability" {...field('probability')} placeholder="such as 20%" />
      {sendsRetryAfter(draft) && (
        <Field label="Retry-After in seconds" {...field('retryAfter')} placeholder="default" />
      )}
    </div>
  )
}

function SeriesField({ field }: FieldsProps): JSX.Element {
  return (
    <Field
      label="Answers"
      {...field('series')}
      rows={4}
      placeholder={'503\nrate-limited\nnext'}
      hint="One on each line: a status, an outcome, next for the usual answer, or JSON such as { &quot;status&quot;: 409, &quot;example&quot;: &quot;taken&quot; }. The last one stays."
    />
  )
}

/** The fault of deliveries, and of which. */
function DeliveryFields({ field }: FieldsProps): JSX.Element {
  const { client } = usePage()
  const subscriptions = useLoaded(() => client.events.subscriptions()).value ?? []
  const { value, error, onInput } = field('delivery')

  return (
    <>
      <Select
        label="Fault of the delivery"
        value={value}
        error={error}
        choices={DELIVERY_FAULTS}
        onChange={onInput}
      />
      <div class="field-grid">
        <Field
          label="Event"
          {...field('event')}
          placeholder="every event"
          hint="Such as order.created or order.*"
        />
        <Field
          label="Subscription"
          {...field('subscription')}
          suggestions={subscriptions.map(({ path }) => path)}
          placeholder="every receiver"
          hint="The path of its record, such as hooks/1"
        />
      </div>
    </>
  )
}

/** Sends the rules of a draft. What the sandbox refuses is shown at its field, or as the problem of the whole rule. */
function useForce() {
  const { client } = usePage()
  const { run, isBusy, error } = useFormAction()
  const [wrong, setWrong] = useState<DraftErrors>({})
  const field = fieldOf(error)
  const force = (draft: RuleDraft): void => {
    const { rules, errors } = toRules(draft)
    setWrong(errors)
    const forceAll = async (): Promise<void> => {
      for (const rule of rules) await client.force(rule)
    }
    const { outcome, delivery } = draft
    const what = outcome === 'answer' || outcome === 'series' ? `The ${outcome}` : outcome
    if (Object.keys(errors).length === 0)
      run(forceAll, `${what === 'delivery' ? delivery : what} is forced.`)
  }
  const isWrong = Object.keys(wrong).length > 0
  const errors: DraftErrors = isWrong || !field ? wrong : { [field]: messageOf(error) }

  return { force, isBusy, errors, problem: isWrong || field ? '' : messageOf(error) }
}

interface PickerProps {
  readonly operations: readonly { readonly operation: string; readonly request: string }[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** Documents with more operations get a search field. */
const SEARCHED = 8

/** More operations are shown after a click, besides those that are chosen. */
const FIRST_OPERATIONS = 50

/** Chooses operations. None chosen is every operation. A long list is one stop of the Tab key, in which the arrows move. */
function OperationPicker({ operations, chosen, onChange }: PickerProps): JSX.Element {
  const search = useSearch('Search operations')
  const [stop, setStop] = useState('')
  const isLong = operations.length > SEARCHED
  const found = operations.filter(
    ({ operation, request }) =>
      chosen.includes(operation) || search.isFound(`${operation} ${request}`),
  )
  const { first, more } = useFirst(found, FIRST_OPERATIONS, 'operations')
  const shown = [
    ...first,
    ...found.slice(first.length).filter(({ operation }) => chosen.includes(operation)),
  ]
  const current = shown.find(({ operation }) => operation === stop) ?? shown[0]
  const toggle = (operation: string, isChosen: boolean): void =>
    onChange(isChosen ? [...chosen, operation] : chosen.filter((one) => one !== operation))

  return (
    <fieldset class="picker">
      <legend>
        Operations{' '}
        <span class="quiet">
          {chosen.length === 0 ? 'every operation' : `${chosen.length} chosen`}
        </span>
      </legend>
      {isLong && search.field}
      <ul class="picker-list" onKeyDown={moveFocus}>
        {shown.map(({ operation, request }) => (
          <li key={operation}>
            <label>
              <input
                type="checkbox"
                tabIndex={!isLong || operation === current?.operation ? 0 : -1}
                onFocus={() => setStop(operation)}
                checked={chosen.includes(operation)}
                onChange={({ currentTarget }) => toggle(operation, currentTarget.checked)}
              />
              <span class="long">
                {operation} <code class="quiet">{request}</code>
              </span>
            </label>
          </li>
        ))}
        {found.length === 0 && (
          <li class="quiet">
            {operations.length === 0 ? 'The document has no operations.' : 'No operation matches.'}
          </li>
        )}
        {more && <li>{more}</li>}
      </ul>
    </fieldset>
  )
}

/** Up and down move the focus between the items. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  event.preventDefault()
  const item = event.target instanceof Element ? event.target.closest('li') : null
  item?.[step[event.key]]?.querySelector<HTMLElement>('input, button')?.focus()
}

interface ConditionsProps extends FieldsProps {
  readonly methods: readonly string[]
  readonly tags: readonly string[]
  readonly isDelivery: boolean
}

/** The fields that are below the fold of the form. */
const LESS_USED = [
  ...(['path', 'skip', 'latency', 'tag', 'query', 'content', 'flow', 'from', 'to'] as const),
]

/** The conditions of a rule that are needed less often. */
function MoreConditions({ methods, tags, isDelivery, field }: ConditionsProps): JSX.Element {
  const { value, onInput } = field('method')
  const tag = field('tag')
  const hasErrors = LESS_USED.some((name) => field(name).error)

  return (
    <details {...(hasErrors && { open: true })}>
      <summary>More conditions</summary>
      <div class="field-grid">
        {!isDelivery && (
          <>
            <Select
              label="Method"
              value={value}
              choices={[{ value: '', label: 'every method' }, ...methods]}
              onChange={onInput}
            />
            <Field
              label="Path"
              {...field('path')}
              placeholder="every path"
              hint="Such as /books/*"
            />
            {tags.length > 0 && (
              <Select
                label="Tag"
                value={tag.value}
                error={tag.error}
                choices={[{ value: '', label: 'every tag' }, ...tags]}
                onChange={tag.onInput}
              />
            )}
          </>
        )}
        <Field
          label={`${isDelivery ? 'Events' : 'Requests'} to skip first`}
          {...field('skip')}
          placeholder="0"
        />
        <Field
          label="Delay"
          {...field('latency')}
          placeholder="default"
          hint={isDelivery ? 'Of late deliveries' : 'Such as 200ms or 100ms..2s'}
        />
      </div>
      {!isDelivery && (
        <div class="field-grid">
          <Field
            label="Query has"
            {...field('query')}
            rows={2}
            placeholder="color=red"
            hint="One parameter on each line"
          />
          <Field
            label="Body has"
            {...field('content')}
            rows={2}
            placeholder={'{ "name": "Ada" }'}
            hint="JSON. The other members may have any values."
          />
        </div>
      )}
      <div class="field-grid">
        <Field
          label="Flow"
          {...field('flow')}
          placeholder="none"
          hint="The name of states that rules share"
        />
        <Field label="While its state is" {...field('from')} placeholder="any, at first start" />
        <Field label="Then its state is" {...field('to')} placeholder="the same" />
      </div>
    </details>
  )
}

type OperationDetails = Awaited<ReturnType<SandboxClient['operation']>>

/** What the document says about the operation, when one is chosen. */
function useOperation([id, ...others]: readonly string[]): OperationDetails | undefined {
  const { client } = usePage()
  const single = others.length === 0 ? id : undefined
  const { value } = useLoaded(
    async () =>
      single === undefined ? undefined : client.operation(single, { diagnostics: false }),
    [single],
  )
  return value?.operation === single ? value : undefined
}

interface StatusesProps {
  readonly details: OperationDetails | undefined
}

/** The statuses that the document has for the operation, when one is chosen, and how a request gets any of them. */
function DocumentedStatuses({ details }: StatusesProps): JSX.Element | null {
  const { linkTo } = usePage()
  if (!details) return null
  const { operation: single, responses } = details
  const statuses = responses.map(({ status }) => status)
  const example = statuses.find((status) => status >= 400) ?? statuses[0]
  if (example === undefined) return null

  return (
    <p class="hint long">
      Documented statuses: {statuses.join(', ')}. A single request gets any of them with the header{' '}
      <code>Prefer: code={example}</code>.{' '}
      <a href={linkTo({ view: 'operations', path: [single] })}>Send a request to {single}</a>
    </p>
  )
}
