import random

from openai import OpenAI

client = OpenAI()
messages = client.beta.threads


def pick(names):
    return random.sample(names, 2)
