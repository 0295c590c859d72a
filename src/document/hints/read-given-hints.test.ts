import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Document } from '../document.ts'
import { parseSource } from '../text/parse-source.ts'
import { type ReadGivenHints, readGivenHints } from './read-given-hints.ts'

/** A document with these hints at the path of a list of books, and at its operation. */
function hintsOf(hints: { path?: unknown; operation?: unknown; root?: unknown }): ReadGivenHints {
  const source = parseSource(
    'books.json',
    pathToFileURL('/books.json'),
    JSON.stringify({
      openapi: '3.1.1',
      info: { title: 'Books', version: '1' },
      'x-sandbox': hints.root,
      paths: {
        '/books': {
          'x-sandbox': hints.path,
          get: {
            operationId: 'listBooks',
            parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' } }],
            'x-sandbox': hints.operation,
          },
        },
        '/books/{id}': {},
      },
    }),
  )
  const document: Document = { root: Object(source.value), sources: [source] }
  return readGivenHints(document)
}

describe('the hints of a document', () => {
  test('are read from its paths and operations', () => {
    const path = {
      resource: 'books',
      item: '/books/{id}',
      id: 'isbn',
      ids: 'client',
      single: false,
    }
    const operation = {
      action: 'list',
      record: '/data',
      paging: { style: 'page', parameter: 'page', first: 0 },
      envelope: { '/meta/total': 'total' },
      filters: {},
      sort: false,
    }

    expect(hintsOf({ path, operation })).toEqual({
      hints: {
        inference: true,
        paths: new Map([['/books', path]]),
        operations: new Map([['listBooks', operation]]),
      },
      mistakes: [],
    })
  })

  test('can switch inference off', () => {
    expect(hintsOf({ root: { inference: false } }).hints.inference).toBe(false)
  })

  test('are none without the extension', () => {
    expect(hintsOf({}).hints).toEqual({ inference: true, paths: new Map(), operations: new Map() })
  })

  test('are kept without the field that is wrong', () => {
    const { hints } = hintsOf({ operation: { action: 'lst', record: '/data' } })

    expect(hints.operations.get('listBooks')).toEqual({ record: '/data' })
  })
})

describe('a mistake in a hint is reported with its place', () => {
  test.each<[fact: string, operation: unknown, path: readonly string[], suggestion?: string]>([
    ['an unknown field', { acton: 'list' }, ['acton'], 'action'],
    ['an unknown action', { action: 'lst' }, ['action'], 'list'],
    ['an unknown reason', { action: 'stateless', reason: 'bulky' }, ['reason'], 'bulk'],
    ['a resource that is no text', { resource: true }, ['resource']],
    ['a place that is no pointer', { record: 'data' }, ['record']],
    ['a body that is no pointer', { body: 'data' }, ['body']],
    ['an id that is no text', { id: 1 }, ['id']],
    ['a view that is no name', { views: { gid: 1 } }, ['views', 'gid']],
    ['paging without a style', { paging: { parameter: 'page' } }, ['paging', 'style']],
    [
      'paging by an unknown parameter',
      { paging: { style: 'page', parameter: 'pge' } },
      ['paging', 'parameter'],
      'page',
    ],
    ['an unknown figure', { envelope: { '/total': 'totl' } }, ['envelope', '/total'], 'total'],
    ['a filter by an unknown parameter', { filters: { pag: 'pages' } }, ['filters', 'pag'], 'page'],
    ['a sort without a parameter', { sort: {} }, ['sort', 'by']],
    ['values that are no object', { set: 'cancelled' }, ['set']],
    ['a start that is no object', { from: ['open'] }, ['from']],
    [
      'a change without its time',
      { after: [{ set: { status: 'done' } }] },
      ['after', '0', 'delay'],
    ],
    [
      'a time that is no duration',
      { after: [{ delay: 'soon', set: {} }] },
      ['after', '0', 'delay'],
    ],
    ['hints that are no object', 'list', []],
  ])('%s', (_fact, operation, path, suggestion) => {
    expect(hintsOf({ operation }).mistakes).toEqual([
      expect.objectContaining({
        pointer: ['paths', '/books', 'get', 'x-sandbox', ...path],
        assumed: 'it is ignored',
        ...(suggestion !== undefined && { suggestion }),
      }),
    ])
  })

  test.each<[fact: string, hints: unknown, field: string, suggestion?: string]>([
    ['a resource that is no text', { resource: 1 }, 'resource'],
    ['a collection that is no path', { collection: 'books' }, 'collection'],
    ['an item at an unknown path', { item: '/books/{ide}' }, 'item', '/books/{id}'],
    ['an id that is no text', { id: ['a', 'b'] }, 'id'],
    ['an unknown chooser of ids', { ids: 'clint' }, 'ids', 'client'],
    ['a flag that is a text', { single: 'yes' }, 'single'],
    ['hidden ids that are a text', { hiddenIds: 'yes' }, 'hiddenIds'],
    ['an unknown operation as view', { view: 'listBook' }, 'view', 'listBooks'],
  ])('%s', (_fact, path, field, suggestion) => {
    expect(hintsOf({ path }).mistakes).toEqual([
      expect.objectContaining({
        pointer: ['paths', '/books', 'x-sandbox', field],
        ...(suggestion !== undefined && { suggestion }),
      }),
    ])
  })
})
