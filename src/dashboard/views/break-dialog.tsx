import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ForcedAnswer, ForceRule } from '../../forcing/force-rule.ts'
import { FAULTS, isOutcome } from '../../forcing/outcomes.ts'
import type { ExchangeSummary } from '../../journal/exchange.ts'
import { messageOf, useFormAction, useLoaded, usePage } from '../page.ts'
import { Button, Dialog, ErrorText, Form, SubmitButton } from '../parts/elements.tsx'
import { type Choice, Field, Select } from '../parts/field.tsx'
import { OUTCOME_TEXTS, readLatency, readProbability } from './rule-draft.ts'

/** The requests that get another answer than usual. */
export interface BrokenRequests {
  /** The id of their operation; absent when none matches them. */
  readonly operation?: string
  readonly method: string
  /** With or without the query. */
  readonly target: string
}

/** A button that forces another answer on requests like these, with its dialog. */
export function BreakButton(props: BrokenRequests & { readonly isSmall?: boolean }): JSX.Element {
  const { isSmall = false, ...requests } = props
  const [isOpen, setOpen] = useState(false)

  return (
    <>
      <OpenBreakButton {...{ isSmall, requests }} onOpen={() => setOpen(true)} />
      {isOpen && <BreakDialog requests={requests} onClose={() => setOpen(false)} />}
    </>
  )
}

interface OpenBreakButtonProps {
  readonly requests: BrokenRequests
  readonly isSmall: boolean
  readonly onOpen: () => void
}

/** The button without the dialog. */
export function OpenBreakButton(props: OpenBreakButtonProps): JSX.Element {
  const { requests, isSmall, onOpen } = props

  return (
    <Button
      class={isSmall ? 'small' : ''}
      aria-label={`Break ${nameOf(requests)}`}
      onClick={onOpen}
    >
      Break…
    </Button>
  )
}

/** Whether the sandbox can force an answer on requests like one: no rule is for those that no operation has, and preflights. */
export function isBreakable({
  operation,
  method,
  status,
}: Pick<ExchangeSummary, 'operation' | 'method' | 'status'>): boolean {
  return operation !== undefined || !(method === 'OPTIONS' || status === 404 || status === 405)
}

function nameOf({ operation, method, target }: BrokenRequests): string {
  return operation ?? `${method} ${pathOf(target)}`
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? ''
}

/** How often an answer is forced. */
type Extent = 'once' | 'next' | 'share' | 'always'

const EXTENTS: readonly Choice[] = [
  { value: 'once', label: 'once' },
  { value: 'next', label: 'on the next requests' },
  { value: 'share', label: 'on a share of the requests' },
  { value: 'always', label: 'until it is removed' },
]

/** What is chosen and typed in the dialog. */
export interface BreakDraft {
  /** `status 409`, the name of an outcome, or empty for the usual answer. */
  readonly answer: string
  readonly example: string
  readonly fault: string
  readonly delay: string
  readonly extent: Extent
  /** How many requests. */
  readonly number: string
  /** Which share of them, such as `20%`. */
  readonly share: string
}

const DRAFT: BreakDraft = {
  answer: 'server-error',
  example: '',
  fault: '',
  delay: '',
  extent: 'once',
  number: '3',
  share: '20%',
}

type BreakErrors = Readonly<Partial<Record<keyof BreakDraft, string>>>

/** The rule of a draft, and what is wrong with the draft. */
export function toBreakRule(
  draft: BreakDraft,
  requests: BrokenRequests,
): { readonly rule: ForceRule; readonly errors: BreakErrors } {
  const { operation, method, target } = requests
  const latency = readLatency(draft.delay.trim())
  const extent = readExtent(draft)
  const isEmpty = [draft.answer, draft.fault, draft.delay.trim()].every((text) => text === '')
  const matching = operation === undefined ? { method, path: pathOf(target) } : { operation }

  return {
    rule: { ...matching, ...toAnswer(draft), ...latency.rule, ...extent.rule },
    errors: {
      ...extent.errors,
      ...(latency.error !== undefined && { delay: latency.error }),
      ...(isEmpty && { answer: 'Choose an answer, a fault or a delay.' }),
    },
  }
}

function toAnswer({ answer, example, fault }: BreakDraft): ForcedAnswer {
  const [, status] = /^status (\d+)$/.exec(answer) ?? []
  const chosenFault = FAULTS.find((one) => one === fault)

  return {
    ...(status !== undefined && { status: Number(status) }),
    ...(status !== undefined && example !== '' && { example }),
    ...(isOutcome(answer) && { outcome: answer }),
    ...(chosenFault && { fault: chosenFault }),
  }
}

function readExtent({ extent, number, share }: BreakDraft): {
  readonly rule: Pick<ForceRule, 'times' | 'probability'>
  readonly errors?: BreakErrors
} {
  if (extent === 'once') return { rule: { times: 1 } }
  if (extent === 'always') return { rule: {} }
  if (extent === 'share') {
    const { value, error } = readProbability(share)
    return value === undefined
      ? { rule: {}, errors: { ...(error !== undefined && { share: error }) } }
      : { rule: { probability: value } }
  }
  const times = Number(number)
  const isValid = Number.isSafeInteger(times) && times >= 1
  return isValid ? { rule: { times } } : { rule: {}, errors: { number: AT_LEAST_ONE } }
}

const AT_LEAST_ONE = 'It must be an integer ≥ 1.'

interface DialogProps {
  readonly requests: BrokenRequests
  readonly onClose: () => void
}

/** Chooses another answer for requests, and how often it is forced. */
export function BreakDialog({ requests, onClose }: DialogProps): JSX.Element {
  const { client, linkTo } = usePage()
  const { run, isBusy, error } = useFormAction()
  const [draft, setDraft] = useState(DRAFT)
  const [isChecked, setChecked] = useState(false)
  const responses = useResponses(requests.operation)
  const { rule, errors } = toBreakRule(draft, requests)
  const shown = isChecked ? errors : {}
  const examples = responses.find((one) => `status ${one.status}` === draft.answer)?.examples ?? []
  const text = (name: keyof BreakDraft) => ({
    value: draft[name],
    error: shown[name],
    onInput: (value: string) => setDraft({ ...draft, [name]: value }),
  })
  const choice = (name: keyof BreakDraft) => ({
    value: draft[name],
    error: shown[name],
    onChange: (value: string) => setDraft({ ...draft, [name]: value }),
  })
  const force = (): void => {
    const isWrong = Object.keys(errors).length > 0
    setChecked(isWrong)
    if (isWrong) return
    run(() => client.force(rule), `Forced on ${nameOf(requests)}.`, onClose)
  }

  return (
    <Dialog title={`Break ${nameOf(requests)}`} onClose={onClose}>
      <Form noValidate onSubmit={force}>
        <Select label="Answer" choices={answerChoices(responses)} {...choice('answer')} />
        {examples.length > 0 && (
          <Select
            label="Example"
            choices={[{ value: '', label: 'none' }, ...examples]}
            {...choice('example')}
          />
        )}
        <div class="field-grid">
          <Select
            label="Fault"
            choices={[{ value: '', label: 'none' }, ...FAULTS]}
            {...choice('fault')}
          />
          <Field
            label="Delay"
            placeholder="none"
            hint="Such as 2s or 100ms..2s"
            {...text('delay')}
          />
        </div>
        <div class="field-grid">
          <Select label="How often" choices={EXTENTS} {...choice('extent')} />
          {draft.extent === 'next' && <Field label="Number of requests" {...text('number')} />}
          {draft.extent === 'share' && (
            <Field label="Share of the requests" hint="Such as 20%" {...text('share')} />
          )}
        </div>
        {requests.operation !== undefined && (
          <a href={linkTo({ view: 'outcomes', query: { operation: requests.operation } })}>
            Series, flows and faults of deliveries
          </a>
        )}
        {error !== undefined && <ErrorText class="error long">{messageOf(error)}</ErrorText>}
        <div class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton isBusy={isBusy} isPrimary label="Force answer" />
        </div>
      </Form>
    </Dialog>
  )
}

type Responses = Awaited<ReturnType<ReturnType<typeof usePage>['client']['operation']>>['responses']

/** The documented responses of an operation; none for requests that match no operation. */
function useResponses(operation: string | undefined): Responses {
  const { client } = usePage()
  const { value } = useLoaded(
    async () =>
      operation === undefined
        ? []
        : (await client.operation(operation, { diagnostics: false })).responses,
    [operation],
  )
  return value ?? []
}

/** The documented statuses, then the outcomes that any request can have. */
function answerChoices(responses: Responses): readonly Choice[] {
  const documented = responses.map(({ status }) => ({
    value: `status ${status}`,
    label: `${status}, documented`,
  }))
  const outcomes = Object.entries(OUTCOME_TEXTS)
    .filter(([name, text]) => name !== 'slow' && !text.startsWith('sign-in'))
    .map(([name, text]) => ({ value: name, label: `${name}: ${text}` }))

  return [{ value: '', label: 'as usual, with a fault or a delay' }, ...documented, ...outcomes]
}
