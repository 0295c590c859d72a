// The operations of the document with hand-written handlers, behind Express.
import express from 'express'
import { OpenAPIBackend } from 'openapi-backend'
import { page, pets, port, unauthorized } from './pets.mjs'

// `quick`, because otherwise it would validate the OpenAPI 3.1 document by the schema of 3.0.
const api = new OpenAPIBackend({ definition: process.argv[3], apiRoot: '/v1', quick: true })
api.register({
  listPets: (_context, _request, response) => response.json(page),
  getPet: ({ request }, _request, response) => response.json(pets[request.params.petId - 1]),
  createPet: ({ request }, _request, response) =>
    response.status(201).json({ id: 51, ...request.requestBody }),
  unauthorizedHandler: (_context, _request, response) => response.status(401).json(unauthorized),
})
const schemes = Object.keys((await api.init()).document.components.securitySchemes)
for (const scheme of schemes) {
  api.registerSecurityHandler(scheme, ({ request }) => Boolean(request.headers.authorization))
}

express()
  .use(express.json())
  .use((request, response) => api.handleRequest(request, request, response))
  .listen(port)
