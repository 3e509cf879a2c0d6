def initialize(request):
    return {
        "protocolVersion": "2025-11-25",
        "serverInfo": {"name": "own", "version": "1"},
        "capabilities": {"experimental": {"com.example/batch": {"max": 10}}},  # expect: AVW004
    }
