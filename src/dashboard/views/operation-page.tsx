import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { formatCount } from '../../report/format.ts'
import { Badge } from '../../report/html/sections.tsx'
import { describeSuggestion } from '../../validation/usage-error.ts'
import { useLoaded, usePage, useTrafficOf } from '../page.ts'
import { Code } from '../parts/code.tsx'
import { Button, Facts, Pending, StatusBadge, useFirst } from '../parts/elements.tsx'
import { Markdown, TextsContext } from '../parts/markdown.tsx'
import { SchemaFacts, SchemaTree } from '../parts/schema-tree.tsx'
import { shortText, typeText, viewOf } from '../schema-view.ts'
import { AnswerSources, CertaintyBadge } from './answer-sources.tsx'
import { BreakButton } from './break-dialog.tsx'
import { documentedParameter, type OperationDetails, schemasOf } from './operation.ts'
import { Coverage, LatestTraffic } from './operation-coverage.tsx'
import { type LoadedForm, loadForm } from './request-form.ts'
import { RequestPanel, useRequest } from './request-panel.tsx'

/** One operation: what the document and the sandbox say about it, a form that sends a request, and what was sent. */
export function OperationPage({ id }: { readonly id: string }): JSX.Element {
  const { client, route, linkTo } = usePage()
  const details = useLoaded(() => client.operation(id, { diagnostics: false, texts: true }), [id])
  const { value } = details
  const form = useLoaded(
    async () => value && { value, loaded: await loadForm(client, value) },
    [value],
  )
  const closeHref = linkTo({ view: 'operations', query: route.query })

  return (
    <section class="operation-page" aria-label={`Operation ${id}`}>
      <a class="back" href={closeHref}>
        All operations
      </a>
      {form.value ? (
        <TextsContext.Provider value={form.value.value.documentation?.texts}>
          <Opened key={id} details={form.value.value} loaded={form.value.loaded} />
        </TextsContext.Provider>
      ) : (
        <Pending error={details.error ?? form.error} />
      )}
    </section>
  )
}

interface OpenedProps {
  readonly details: OperationDetails
  readonly loaded: LoadedForm
}

function Opened({ details, loaded }: OpenedProps): JSX.Element {
  const request = useRequest(details, loaded)
  const tried = useRef<HTMLElement>(null)

  return (
    <div class="operation-columns">
      <div class="operation-documentation">
        <Head details={details} onTry={() => tried.current?.scrollIntoView({ block: 'start' })} />
        <Parameters details={details} />
        <RequestBody details={details} />
        <Responses details={details} />
        <Inference details={details} />
        <Coverage request={request} />
        <LatestTraffic operation={details.operation} />
      </div>
      <section class="operation-try" ref={tried} aria-label="Try it">
        <RequestPanel request={request} />
      </section>
    </div>
  )
}

interface DetailsProps {
  readonly details: OperationDetails
}

function Head({ details, onTry }: DetailsProps & { readonly onTry: () => void }): JSX.Element {
  const { linkTo } = usePage()
  const { operation, method, path, summary, tags = [], documentation, secured } = details
  const { deprecated, removal } = details
  const description = documentation?.description

  return (
    <section aria-label="Description">
      <h2 class="operation-title">
        <code>
          <b>{method}</b> {path}
        </code>
      </h2>
      {summary !== undefined && <p class="operation-summary">{summary}</p>}
      <p class="buttons">
        <code class="long">{operation}</code>
        {deprecated && (
          <Badge tone="warning">
            {removal === undefined ? 'deprecated' : `removed on ${removal.slice(0, 10)}`}
          </Badge>
        )}
        {!secured && <Badge>needs no credentials</Badge>}
        {tags.map((tag) => (
          <a key={tag} href={linkTo({ view: 'operations', query: { text: tag } })}>
            {tag}
          </a>
        ))}
        <Button class="small try-link" onClick={onTry}>
          Try it
        </Button>
        <BreakButton isSmall {...{ operation, method }} target={path} />
      </p>
      {description !== undefined && <Markdown text={description} />}
      <DiagnosticList operation={operation} />
    </section>
  )
}

function Parameters({ details }: DetailsProps): JSX.Element | null {
  const { parameters } = details
  if (parameters.length === 0) return null

  return (
    <section aria-label="Parameters">
      <h3>Parameters</h3>
      <table class="plain parameter-table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type and meaning</th>
          </tr>
        </thead>
        <tbody>
          {parameters.map((one) => (
            <Parameter key={`${one.in} ${one.name}`} details={details} parameter={one} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface ParameterProps extends DetailsProps {
  readonly parameter: OperationDetails['parameters'][number]
}

function Parameter({ details, parameter }: ParameterProps): JSX.Element {
  const schemas = schemasOf(details)
  const { name, in: place, required } = parameter
  const found = documentedParameter(details, parameter)
  const schema = found?.schema ?? parameter.schema
  const view = viewOf(schema, schemas)
  const description = found?.description ?? view.schema.description
  const [example = parameter.example] = (found?.examples ?? []).map(({ value }) => value)
  const isTree = view.types.includes('object') || view.alternatives.length > 0

  return (
    <tr>
      <th scope="row">
        <code class="long">{name}</code>
        {required && <span class="required"> required</span>}
        <p class="quiet">
          {place}
          {found?.deprecated && ', deprecated'}
        </p>
      </th>
      <td>
        {!isTree && <p class="schema-type">{typeText(view, schemas)}</p>}
        {typeof description === 'string' && <Markdown text={description} />}
        {isTree ? (
          <SchemaTree schema={withoutTexts(schema)} schemas={schemas} />
        ) : (
          <SchemaFacts schema={withoutTexts(view.schema)} isMissing={view.isMissing} />
        )}
        {example !== undefined && (
          <p class="schema-fact long">
            Example <code class="value">{shortText(example, 200)}</code>
          </p>
        )}
      </td>
    </tr>
  )
}

/** A schema without what is shown beside it. */
function withoutTexts<Schema extends Readonly<Record<string, unknown>>>(schema: Schema): Schema {
  return { ...schema, description: undefined, example: undefined, examples: undefined }
}

function RequestBody({ details }: DetailsProps): JSX.Element | null {
  const { body, documentation } = details
  if (!body) return null
  const { description, content } = documentation?.body ?? {
    content: body.contentTypes.map((mediaType) => ({
      mediaType,
      schema: body.schema,
      examples: [],
    })),
  }

  return (
    <section aria-label="Request body">
      <h3>Request body {body.required && <span class="required">required</span>}</h3>
      {description !== undefined && <Markdown text={description} />}
      <Contents content={content} details={details} isOpen />
    </section>
  )
}

type Content = NonNullable<OperationDetails['documentation']>['responses'][number]['content']

interface ContentsProps extends DetailsProps {
  readonly content: Content
  /** Whether the parts of the schemas are shown at first. */
  readonly isOpen?: boolean
}

/** The schemas and examples of a body, by media type. */
function Contents({ content, details, isOpen = false }: ContentsProps): JSX.Element {
  const { first, more } = useFirst(content, 6, 'media types')
  return (
    <>
      {first.map(({ mediaType, schema, examples }, at) => (
        <div key={mediaType} class="content">
          <p>
            <code>{mediaType}</code>
          </p>
          {schema ? (
            <SchemaTree schema={schema} schemas={schemasOf(details)} isOpen={isOpen && at === 0} />
          ) : (
            <p class="hint">Any content</p>
          )}
          {examples.map(({ name, value }, index) => (
            <Example key={index} name={name ?? `${index + 1}`} value={value} />
          ))}
        </div>
      ))}
      {more}
    </>
  )
}

/** An example, which is drawn when it is opened. */
function Example(props: { readonly name: string; readonly value: unknown }): JSX.Element {
  const { name, value } = props
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)

  return (
    <details class="example">
      <summary>Example {name}</summary>
      <Code text={text ?? ''} label={`Example ${name}`} />
    </details>
  )
}

/** A line of CommonMark without the marks of code and stress. */
function plainText(description = ''): string {
  return description.trim().replace(/`|\*\*/g, '')
}

function Responses({ details }: DetailsProps): JSX.Element | null {
  const { responses = [] } = details.documentation ?? {}
  if (responses.length === 0) return null

  return (
    <section aria-label="Responses">
      <h3>Responses</h3>
      {responses.map((response) => (
        <details key={response.status} class="response" open={/^2/.test(response.status)}>
          <summary>
            {/^\d+$/.test(response.status) ? (
              <StatusBadge status={Number(response.status)} />
            ) : (
              <Badge>{response.status}</Badge>
            )}{' '}
            {shortText(plainText(response.description).split('\n')[0], 120)}
          </summary>
          {/[\n[]|.{120}/.test(response.description ?? '') && (
            <Markdown text={response.description ?? ''} />
          )}
          <Contents content={response.content} details={details} />
          {response.headers.length > 0 && (
            <details>
              <summary>{formatCount(response.headers.length, 'header')}</summary>
              {response.headers.map(({ name, schema, description }) => (
                <SchemaTree
                  key={name}
                  name={name}
                  schema={description === undefined ? schema : { ...schema, description }}
                  schemas={schemasOf(details)}
                />
              ))}
            </details>
          )}
        </details>
      ))}
    </section>
  )
}

/** What the sandbox does for an operation, how sure that is, and the hint that corrects it. */
function Inference({ details }: DetailsProps): JSX.Element {
  const { linkTo } = usePage()
  const { operation, method, path, behaviour, resource, reason, hint, handlers } = details
  const { certainty, doubts = [], cases = [] } = details
  const { sources } = useTrafficOf(operation)
  const facts = {
    Behaviour: <Badge>{behaviour}</Badge>,
    Resource: resource !== undefined && (
      <a href={linkTo({ view: 'records', query: { text: resource } })}>{resource}</a>
    ),
    Certainty: <CertaintyBadge certainty={certainty} />,
    'Own code': handlers !== undefined && `${formatCount(handlers, 'handler')}, asked first`,
    'Answers so far': sources.has(operation) && <AnswerSources operation={operation} />,
  }

  return (
    <section aria-label="What the sandbox does">
      <h3>What the sandbox does</h3>
      <Facts facts={facts} />
      <p class="long">{reason}</p>
      {cases.map((one) => (
        <p key={one.when} class="long">
          When {one.when}: <Badge>{one.behaviour}</Badge> {one.reason}
        </p>
      ))}
      {doubts.map((doubt, at) => (
        <div key={doubt.reason + doubt.place} class="callout warning">
          <p>{doubt.reason}.</p>
          <p>
            To settle it, add to <code>{doubt.place}</code>:
          </p>
          {doubt.hint !== '' && (
            <Code text={doubt.hint} label={doubts.length === 1 ? 'Hint' : `Hint ${at + 1}`} />
          )}
        </div>
      ))}
      {doubts.length === 0 && (
        <details>
          <summary>Correct it</summary>
          <p>
            Change this hint, and add it to{' '}
            <code>
              {method} {path}
            </code>{' '}
            in the document, or in an overlay of it:
          </p>
          <Code text={hint} label="Hint" />
        </details>
      )}
    </section>
  )
}

/** More mistakes are folded: they would push what the operation does out of sight. */
const SHOWN_MISTAKES = 3

/**
 * The mistakes of the document that concern an operation, with what is assumed instead. Nothing when there are none. To find them takes
 * seconds for a large document, for which the rest of the page does not wait.
 */
function DiagnosticList({ operation }: { readonly operation: string }): JSX.Element | null {
  const { client } = usePage()
  const { value } = useLoaded(() => client.operation(operation), [operation])
  const { diagnostics = [] } = value ?? {}
  const { first, more } = useFirst(diagnostics, 10, 'mistakes')
  if (diagnostics.length === 0) return null

  return (
    <details class="diagnostics" open={diagnostics.length <= SHOWN_MISTAKES}>
      <summary>{formatCount(diagnostics.length, 'mistake')} in the document</summary>
      <ul>
        {first.map((one) => (
          <li key={one.location + one.reason}>
            <code class="long">{one.location}</code>
            <p class="long">
              {one.reason}.{one.assumed !== undefined && ` Assumed instead: ${one.assumed}.`}{' '}
              {one.help ?? describeSuggestion(one)}
            </p>
          </li>
        ))}
      </ul>
      {more}
    </details>
  )
}
