import { createPetClient } from './client.ts'
import { mount } from './page.ts'
import { createShop } from './shop.ts'

const client = createPetClient('https://api.example.com/v1', 'sk_sandbox_free')

mount((render) => createShop(client, render))
