import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { formatCount, formatNumber } from '../../report/format.ts'
import { Badge } from '../../report/html/sections.tsx'
import { useLoaded, usePage, worldPrefix } from '../page.ts'
import { Button, Empty, Pending } from '../parts/elements.tsx'
import { type Choice, SearchField, Select } from '../parts/field.tsx'
import { type Column, RequestLine, Table } from '../parts/table.tsx'
import { AnswerSources, CertaintyBadge } from './answer-sources.tsx'
import type { OperationSummary } from './operation.ts'
import { OperationPage } from './operation-page.tsx'

/** A column of the operations. The rows of tags have none. */
function column(
  label: string,
  className: string,
  cell: (operation: OperationSummary) => ComponentChildren,
): Column<Row> {
  return { label, class: className, cell: (row) => ('tag' in row ? undefined : cell(row)) }
}

const COLUMNS: readonly Column<Row>[] = [
  column('Request', 'main', ({ method, path }) => <RequestLine method={method} target={path} />),
  column('Summary', 'summary wide-only', ({ summary = '' }) => (
    <span title={summary}>{summary}</span>
  )),
  column('Operation', 'wide-only', ({ operation }) => <span title={operation}>{operation}</span>),
  column('Behaviour', 'behaviour', ({ behaviour }) =>
    behaviour === undefined ? '…' : <Badge>{behaviour}</Badge>,
  ),
  column(
    'Certainty',
    'certainty wide-only',
    ({ certainty }) => certainty && <CertaintyBadge certainty={certainty} />,
  ),
  column('Reason', 'reason wide-only', ({ reason }) => <span title={reason}>{reason}</span>),
  column('Answers so far', 'answers wide-only', ({ operation }) => (
    <AnswerSources operation={operation} />
  )),
  column('State', 'state wide-only', ({ deprecated, diagnosticCount = 0, handlers }) => (
    <>
      {handlers !== undefined && <Badge>own code</Badge>}{' '}
      {deprecated && <Badge tone="warning">deprecated</Badge>}{' '}
      {diagnosticCount > 0 && (
        <Badge tone="warning">{formatCount(diagnosticCount, 'mistake')}</Badge>
      )}
    </>
  )),
]

/** Every operation by its tags, how it is answered and why, and the page of the one that is open. */
export function OperationsView(): JSX.Element {
  const { client, route } = usePage()
  const [id] = route.path
  const isList = id === undefined
  const named = useLoaded(() => client.operations({ behaviours: false }))
  // Takes seconds for a large document. What is found out until the client waits no longer is known the second time.
  const read = () => client.operations()
  const known = useLoaded(() => read().catch(read))
  const isKnown = known.value !== undefined
  // Takes seconds, too. Beside an operation, the list does not show the mistakes.
  const checked = useLoaded(
    async () => (isList && isKnown ? client.operations({ diagnostics: true }) : undefined),
    [isList, isKnown],
  )
  if (!named.value) return <Pending error={named.error} />

  return (
    <div class={id === undefined ? 'operations-split' : 'operations-split open'}>
      <OperationList
        operations={checked.value ?? known.value ?? named.value}
        missing={isKnown ? '' : (known.error ?? 'finding out what they do…')}
      />
      {id !== undefined && <OperationPage key={id} id={id} />}
    </div>
  )
}

/** The name of the group of operations without a tag. */
const UNTAGGED = 'Without a tag'

/** A tag with its operations, or an operation. */
type Row =
  | OperationSummary
  | { readonly tag: string; readonly count: number; readonly isOpen: boolean }

/** With more operations, the tags are closed at first. */
const MANY = 100

interface OperationListProps {
  readonly operations: readonly OperationSummary[]
  /** Why the behaviours are not shown; empty when they are. */
  readonly missing: string
}

function OperationList({ operations, missing }: OperationListProps): JSX.Element {
  const { route, linkTo, change } = usePage()
  const { text = '', behaviour = '', by = '' } = route.query
  const shown = useMemo(
    () => selectOperations(operations, { text, behaviour, by }),
    [operations, text, behaviour, by],
  )
  const current = route.path[0]
  const { rows, toggle } = useGroups(shown, current)
  const behaviours = [...new Set(operations.flatMap((one) => one.behaviour ?? []))].sort()

  return (
    <section class="list operations" aria-label="Operations">
      <search class="filters">
        <SearchField
          label="Text"
          placeholder="Search path, id, summary, tag"
          value={text}
          onInput={(given) => change({ text: given })}
        />
        <Select
          label="Behaviour"
          isLabelHidden
          value={behaviour}
          choices={[{ value: '', label: 'All behaviours' }, ...behaviours]}
          onChange={(given) => change({ behaviour: given })}
        />
        <Select
          label="Answered by"
          isLabelHidden
          value={by}
          choices={ANSWERED_BY}
          onChange={(given) => change({ by: given })}
        />
        <p class="counts">
          <b>{formatNumber(shown.length)}</b> of {formatNumber(operations.length)} operations
          {missing && ` · ${missing}`}
        </p>
      </search>
      <Table
        label="Operations"
        columns={COLUMNS}
        rows={rows}
        keyOf={(row) => ('tag' in row ? `tag ${row.tag}` : row.operation)}
        hrefOf={(row) =>
          linkTo({
            view: 'operations',
            path: 'tag' in row ? [] : [row.operation],
            query: route.query,
          })
        }
        groupOf={(row) =>
          'tag' in row && (
            <Button class="group" aria-expanded={row.isOpen} onClick={() => toggle(row.tag)}>
              {row.tag} <span class="quiet">{formatNumber(row.count)}</span>
            </Button>
          )
        }
        selected={current}
        empty={<Empty title={operations.length === 0 ? NO_OPERATIONS : NO_MATCH} />}
      />
      <DocumentLinks />
    </section>
  )
}

/** What operations are answered by: the code of the developer, or what the sandbox has inferred, which may be wrong. */
const ANSWERED_BY: readonly Choice[] = [
  { value: '', label: 'Any answer' },
  { value: 'handler', label: 'own code' },
  { value: 'sure', label: 'inferred: sure' },
  { value: 'likely', label: 'inferred: likely' },
  { value: 'guess', label: 'inferred: a guess' },
]

const NO_OPERATIONS = 'The document has no operations'
const NO_MATCH = 'No operation matches the filter'

/** The rows of operations, whose tags can be opened and closed. That of the current operation is open. */
function useGroups(shown: readonly OperationSummary[], current: string | undefined) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const isClosed = shown.length > MANY
  const rows = useMemo(
    () => toRows(shown, (tag) => isClosed === toggled.has(tag), current),
    [shown, toggled, isClosed, current],
  )
  const toggle = (tag: string): void => {
    const next = new Set(toggled)
    if (!next.delete(tag)) next.add(tag)
    setToggled(next)
  }

  return { rows, toggle }
}

/** The operations below their tags, in the order of the document. Without tags, there are no groups. */
function toRows(
  operations: readonly OperationSummary[],
  isOpen: (tag: string) => boolean,
  current: string | undefined,
): readonly Row[] {
  const groups = new Map<string, OperationSummary[]>()
  for (const one of operations) {
    const [tag = UNTAGGED] = one.tags ?? []
    const group = groups.get(tag)
    if (group) group.push(one)
    else groups.set(tag, [one])
  }
  if (groups.size < 2) return operations

  return [...groups].flatMap(([tag, own]) => {
    const isShown = isOpen(tag) || own.some(({ operation }) => operation === current)
    return [{ tag, count: own.length, isOpen: isShown }, ...(isShown ? own : [])]
  })
}

/** The operations that contain each word of the text, have the behaviour, and are answered so; an empty text selects all. */
function selectOperations(
  operations: readonly OperationSummary[],
  { text, behaviour, by }: Readonly<Record<'text' | 'behaviour' | 'by', string>>,
): readonly OperationSummary[] {
  const words = text.toLowerCase().split(/\s+/)
  return operations.filter((one) => {
    const { operation, method, path, resource = '', summary = '', tags = [] } = one
    const content = [method, path, operation, resource, summary, ...tags].join(' ').toLowerCase()
    const isWanted =
      (behaviour === '' || one.behaviour === behaviour) &&
      (by === '' || (by === 'handler' ? one.handlers !== undefined : one.certainty === by))
    return isWanted && words.every((word) => content.includes(word))
  })
}

/** The document with the address of the sandbox, for code generators and other tools. */
function DocumentLinks(): JSX.Element {
  const { site, client } = usePage()
  const world = worldPrefix(client)
  const documents = ['document.json', 'document.yaml'].map((name) => `/__sandbox${world}/${name}`)
  const paths = world === '' ? [...documents, '/openapi.json'] : documents

  return (
    <p class="pages documents">
      <span class="quiet">The OpenAPI document as it is served:</span>
      {paths.map((path) => (
        <a key={path} href={site + path} target="_blank" rel="noreferrer">
          <code>{path.split('/').at(-1)}</code>
        </a>
      ))}
    </p>
  )
}
