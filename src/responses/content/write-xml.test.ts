import { expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { writeXml } from './write-xml.ts'

/** The XML of a value, without the first line. */
function write(value: unknown, schema: Schema): string {
  const [first, ...lines] = writeXml(value, schema, 'books').split('\n')
  expect(first).toBe('<?xml version="1.0" encoding="UTF-8"?>')

  return lines.join('\n').trim()
}

const strings = { type: 'array', items: { type: 'string' } }

test.each<[what: string, value: unknown, schema: Schema, xml: string]>([
  [
    'an object is an element with its properties',
    { id: 1, title: 'A' },
    {},
    '<books><id>1</id><title>A</title></books>',
  ],
  [
    'a name replaces that of a property',
    { id: 1 },
    { xml: { name: 'book' }, properties: { id: { xml: { name: 'number' } } } },
    '<book><number>1</number></book>',
  ],
  [
    'an attribute is in the start tag',
    { id: 1, a: 'x' },
    { properties: { id: { xml: { attribute: true } } } },
    '<books id="1"><a>x</a></books>',
  ],
  [
    'a namespace and a prefix are declared',
    { id: 1 },
    {
      xml: { namespace: 'http://a.test/b', prefix: 'b' },
      properties: { id: { xml: { prefix: 'b' } } },
    },
    '<b:books xmlns:b="http://a.test/b"><b:id>1</b:id></b:books>',
  ],
  [
    'a list repeats its element',
    { tag: ['a', 'b'] },
    { properties: { tag: strings } },
    '<books><tag>a</tag><tag>b</tag></books>',
  ],
  [
    'the name of the items replaces that of the list',
    { tags: ['a'] },
    { properties: { tags: { items: { xml: { name: 'tag' } }, xml: { name: 'unused' } } } },
    '<books><tag>a</tag></books>',
  ],
  [
    'a wrapped list has an element of its own',
    { tags: ['a', 'b'] },
    {
      properties: {
        tags: { items: { xml: { name: 'tag' } }, xml: { wrapped: true, name: 'labels' } },
      },
    },
    '<books><labels><tag>a</tag><tag>b</tag></labels></books>',
  ],
  [
    'the name of a wrapped list is that of its items, too',
    { tags: ['a'] },
    { properties: { tags: { items: {}, xml: { wrapped: true, name: 'labels' } } } },
    '<books><labels><labels>a</labels></labels></books>',
  ],
  [
    'a list as the whole content is wrapped',
    [{ id: 1 }],
    { items: {} },
    '<books><book><id>1</id></book></books>',
  ],
  [
    'nodeType decides in OpenAPI 3.2',
    { id: 1, text: 'a<b', more: ']]>' },
    {
      properties: {
        id: { xml: { nodeType: 'attribute' } },
        text: { xml: { nodeType: 'text' } },
        more: { xml: { nodeType: 'cdata' } },
      },
    },
    '<books id="1">a&lt;b<![CDATA[]]]]><![CDATA[>]]></books>',
  ],
  [
    'an array with the nodeType element is wrapped',
    { tags: ['a'] },
    { properties: { tags: { items: { xml: { name: 'tag' } }, xml: { nodeType: 'element' } } } },
    '<books><tags><tag>a</tag></tags></books>',
  ],
  [
    'the form of a branch counts',
    { id: 1 },
    { allOf: [{ xml: { name: 'book' }, properties: { id: { xml: { attribute: true } } } }] },
    '<book id="1"/>',
  ],
  ['null is left out', { a: null }, {}, '<books/>'],
  ['names that XML forbids are changed', { '1 a': 2 }, {}, '<books><_1_a>2</_1_a></books>'],
  ['text is escaped', { a: '<&>"\u0000\ud800\n' }, {}, '<books><a>&lt;&amp;&gt;"\n</a></books>'],
  [
    'attributes are escaped',
    { a: '"<\n' },
    { properties: { a: { xml: { attribute: true } } } },
    '<books a="&quot;&lt;&#10;"/>',
  ],
])('%s', (_what, value, schema, xml) => {
  expect(write(value, schema)).toBe(xml)
})
