import type { JSX } from 'preact'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import type { ForcedAnswer } from '../../forcing/force-rule.ts'
import { FAULTS } from '../../forcing/outcomes.ts'
import { Field, Select } from '../parts/field.tsx'

/** What is typed about an answer. An empty text says nothing. */
export const EMPTY_ANSWER = {
  status: '',
  example: '',
  fields: '',
  body: '',
  headers: '',
  fault: '',
}

/** A field of an answer that is typed as text. */
export type AnswerField = keyof typeof EMPTY_ANSWER

type Responses = Awaited<ReturnType<SandboxClient['operation']>>['responses']

interface AnswerFieldsProps {
  /** The documented responses of the operation, when one is chosen. */
  readonly responses: Responses
  /** The value of a field, its error, and how to change it. */
  readonly field: (name: AnswerField) => {
    readonly value: string
    readonly error: string | undefined
    readonly onInput: (value: string) => void
  }
}

/** The fields of an answer that is forced: its status, what its body is made of, its headers, and what happens to it on its way. */
export function AnswerFields({ responses, field }: AnswerFieldsProps): JSX.Element {
  const { value: status } = field('status')
  const { value: fault, onInput: setFault } = field('fault')
  const statuses = responses.map((response) => String(response.status))
  const examples = responses
    .filter((response) => status.trim() === '' || String(response.status) === status.trim())
    .flatMap((response) => response.examples)

  return (
    <>
      <div class="field-grid">
        <Field
          label="Status"
          {...field('status')}
          suggestions={statuses}
          placeholder="as usual"
          hint={statuses.length === 0 ? 'Such as 409' : `Documented: ${statuses.join(', ')}`}
        />
        <Field
          label="Example"
          {...field('example')}
          suggestions={[...new Set(examples)]}
          placeholder="none"
          hint="The name of an example of the document"
        />
        <Select
          label="Fault"
          value={fault}
          choices={[{ value: '', label: 'none' }, ...FAULTS]}
          onChange={setFault}
        />
      </div>
      <Field
        label="Wrong fields"
        {...field('fields')}
        rows={2}
        placeholder="label: is taken"
        hint="One field of the input on each line"
      />
      <Field
        label="Part of the body"
        {...field('body')}
        rows={3}
        placeholder={'{ "message": "…" }'}
        hint="JSON. The members of an object are merged into the body."
      />
      <Field
        label="Headers"
        {...field('headers')}
        rows={2}
        placeholder="X-Reason: maintenance"
        hint="One header on each line"
      />
    </>
  )
}

/** An answer as it is typed. `errors` has what cannot be read; the sandbox checks the rest. */
export function readAnswer(draft: Readonly<Record<AnswerField, string>>): {
  readonly answer: ForcedAnswer
  readonly errors: Readonly<Partial<Record<AnswerField, string>>>
} {
  const status = draft.status.trim()
  const example = draft.example.trim()
  const fault = FAULTS.find((one) => one === draft.fault)
  const fields = readLines(draft.fields)
  const headers = readLines(draft.headers)
  const body = readJson(draft.body)

  return {
    answer: {
      ...(status !== '' && { status: Number(status) }),
      ...(example !== '' && { example }),
      ...(fault && { fault }),
      ...(fields && { fields }),
      ...(headers && { headers }),
      ...(body && { body: body.value }),
    },
    errors: {
      ...(Number.isNaN(Number(status)) && { status: 'It is not a number.' }),
      ...(fields === null && { fields: 'Each line needs a name, a colon and a text.' }),
      ...(headers === null && { headers: 'Each line needs a name, a colon and a value.' }),
      ...(body === null && { body: 'It is not JSON.' }),
    },
  }
}

/** The names and texts of lines such as `label: is taken`; `undefined` without lines, `null` when a line has another form. */
function readLines(text: string): Readonly<Record<string, string>> | null | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return undefined
  const pairs = lines.map((line) => /^\s*([^:]+?)\s*:\s*(.+?)\s*$/.exec(line) ?? [])
  if (pairs.some(({ length }) => length === 0)) return null

  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]))
}

/** The value of a JSON text; `undefined` for an empty one, `null` for a text that is no JSON. */
export function readJson(text: string): { readonly value: unknown } | null | undefined {
  if (text.trim() === '') return undefined
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}
